#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What `ccafe check` says of libraries that cannot be loaded: the dynamic linker refuses the same ones,
# and only these; no code of a library is run.
. "$(dirname "$0")/../lib/lib.sh"
unset LD_LIBRARY_PATH
export LC_ALL=C
mkdir parts classes other
library() # library FILE OPTIONS...: from what stands on standard input
{
    file=$1
    shift
    $CC -shared -fPIC -x c - -x none -o "$file" "$@" || fail "cannot build $file"
}
class() # class NAME OPTIONS...: a component with what stands on standard input
{
    name=$1
    shift
    { sed "s/\"ScSource\"/\"$name\"/" "$root/tests/components/${from:-sc_source}.c"; cat; } |
        library "classes/$name.so" -I"$root" "$@"
}

library parts/libpart.so -Wl,-soname,libpart.so.1 <<<'int part(void) { return 1; }'
library parts/libneedy.so -Wl,-soname,libneedy.so.1 <<<'int given(void); int needy(void) { return given(); }'
echo 'NEW { global: fresh; };' >new.map
echo 'OLD { global: fresh; };' >old.map
library parts/libversion.so -Wl,-soname,libversion.so.1 -Wl,--version-script,new.map <<<'int fresh(void) { return 1; }'
for part in part needy version; do mv parts/lib$part.so parts/lib$part.so.1; done
use='__attribute__((constructor)) static void run(void) { _exit(9); }'
measure=
class Runs <<<"void _exit(int); extern int optind; int (*next)(void); $use
    int weak(void) __attribute__((weak)); int used(void) { return weak ? weak() : optind; }"
class LacksLibrary -Wl,-soname,l.so parts/libpart.so.1 <<<'int part(void); int used(void) { return part(); }'
class Finds -Wl,-rpath,'$ORIGIN/../parts' parts/libpart.so.1 <<<'int part(void); int used(void) { return part(); }'
class FindsOld -Wl,--disable-new-dtags,-rpath,"$dir/parts" parts/libpart.so.1 <<<'int part(void); int used(void) { return part(); }'
class LacksSymbols <<<'int gone(void); extern int nowhere; int used(void) { return gone() + nowhere; }'
class LacksMany <<<'int a1(void), a2(void), a3(void), a4(void), a5(void), a6(void), a7(void);
    int used(void) { return a1() + a2() + a3() + a4() + a5() + a6() + a7(); }'
class LacksMethod <<<'int gone(void) __asm__("_ZN3Gas4goneEid"); int used(void) { return gone(); }'
class NeedsPart <<<'int part(void); int used(void) { return part(); }'
class Gives -Wl,-rpath,"$dir/parts" parts/libneedy.so.1 <<<'int needy(void); int given(void) { return needy(); }'
class GivesNothing -Wl,-rpath,"$dir/parts" parts/libneedy.so.1 <<<'int needy(void); int used(void) { return needy(); }'
class LacksVersion -Wl,-rpath,"$dir/parts" parts/libversion.so.1 <<<'int fresh(void); int used(void) { return fresh(); }'
library parts/libversion.so.1 -Wl,-soname,libversion.so.1 -Wl,--version-script,old.map <<<'int fresh(void) { return 1; }'

# check STATUS LINES NAME...: instantiate each class, on lines 1, 2, ...
check()
{
    local status=$1 lines=$2
    shift 2
    for name in "$@"; do
        case $name in *' '*) echo "$name" ;; *) echo "instantiate $name" ;; esac
    done >script
    run "$status" ccafe check $measure --path classes script
    printf '%s' "$lines" | diff - err || fail "check of $*"
    [ "$*" = Runs ] && return
    # A run refuses exactly what check has found.
    run $((status ? 4 : 0)) ccafe $measure --path classes script
}
check 0 '' Runs
check 3 "script:1: class 'LacksLibrary' cannot be loaded: 'LacksLibrary.so' needs library 'libpart.so.1', which is not found
" LacksLibrary
LD_LIBRARY_PATH=$dir/parts check 0 '' LacksLibrary
check 0 '' Finds FindsOld Gives
check 0 '' Finds LacksLibrary # the dynamic linker has it by then
check 3 "script:2: class 'LacksSymbols' cannot be loaded: 'LacksSymbols.so' needs symbol 'gone', which no library defines
script:2: class 'LacksSymbols' cannot be loaded: 'LacksSymbols.so' needs symbol 'nowhere', which no library defines
" Finds LacksSymbols LacksSymbols
check 3 "$(for n in 1 2 3 4 5; do echo "script:1: class 'LacksMany' cannot be loaded: 'LacksMany.so' needs symbol 'a$n', which no library defines"; done)
script:1: class 'LacksMany' cannot be loaded: 'LacksMany.so' lacks 2 more symbols
" LacksMany
check 3 "script:1: class 'LacksMethod' cannot be loaded: 'LacksMethod.so' needs symbol 'Gas::gone(int, double)', which no library defines
" LacksMethod
# What another class needs for itself is not there for all, what the script says is.
check 3 "script:2: class 'NeedsPart' cannot be loaded: 'NeedsPart.so' needs symbol 'part', which no library defines
" Finds NeedsPart
check 0 '' "repository get-ports $dir/parts/libpart.so.1" NeedsPart
check 0 '' 'repository get-global Finds' NeedsPart
check 3 "script:1: class 'GivesNothing' cannot be loaded: 'libneedy.so.1' needs symbol 'given', which no library defines
" GivesNothing
check 3 "script:1: class 'LacksVersion' cannot be loaded: 'LacksVersion.so' needs version 'NEW' of library 'libversion.so.1', which has no such version
" LacksVersion
check 3 "script:1: library 'libnowhere.so.7' cannot be loaded: it is not found
" 'repository get-ports libnowhere.so.7'
check 0 '' 'repository get-ports libz.so.1'
head -c 3000 parts/libpart.so.1 >other/libpart.so.1
LD_LIBRARY_PATH=$dir/other ccafe check --path classes - >out 2>err <<<'create LacksLibrary'
grep -q "needs library 'libpart.so.1', which cannot be read: damaged: it ends" err || fail "a damaged library"

# Proxies that --measure would insert are checked, too.
ccafe check --measure "$root/scripts/shock.rc" >out 2>err || fail "the shock code"
[ -s err ] && fail "the shock code"

# The same as ldd -r says, for all of this tree and for some of the system's libraries.
judge() # judge FILE
{
    missing=$(LD_LIBRARY_PATH=$O/lib ldd -r "$1" 2>&1 | # ccafe has loaded libcca.so
        grep -cE 'not found|undefined symbol|link time reference')
    ccafe check - >out 2>err <<<"repository get-ports $1"
    case $? in
    0) [ "$missing" = 0 ] || fail "nothing missing in $1, but ldd says $missing" ;;
    3) [ "$missing" != 0 ] || fail "$1 lacks nothing" ;;
    *) fail "$1" ;;
    esac
}
while read -r file; do judge "$file"; done < <(find "$O/lib" "$O/tests/components" -name '*.so'
    find -L /usr/lib/*/ -maxdepth 1 -name '*.so.?' -size -4M | sort | awk 'NR % 30 == 0'
    find /usr/lib/python3* /usr/lib/*/perl* -name '*.so' 2>/dev/null | sort | awk 'NR % 20 == 0')
finish
