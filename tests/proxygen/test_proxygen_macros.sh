#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Headers that define words of the code made of them, or leave pragmas switched on: the code compiles to
# the same machine code as that of a header that does nothing of the kind, or is refused in one line.
. "$(dirname "$0")/../lib/lib.sh"
cd "$root" || exit 1
proxygen=$O/bin/proxygen

# What is made is compiled below, not made a library.
printf '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\n: > "$2"\n' > "$dir/quick" && chmod +x "$dir/quick"
cat > "$dir/lib.perf" <<'END'
header h.h
function work
    param n
    param Q = n * m + 1
    param r = x ? x[0] / 2.0 : sizeof(double)
    mode  kind = (n > 3) { 0: small, 1: large }
    out   result = return
function make
    remember n as size on return
function use
    param size = recall size on p
    get   k via count(p, &k)
    param k
END
cat > "$dir/ops.perf" <<'END'
header h.h
table ops
function f
    param n
    param Q = n * m
    out   result = return
END
cat > "$dir/port.perf" <<'END'
port test.K/1
method f
    param n
    param Q = n * m
    param r = x ? x[0] : 0.5
    out   result = return
END
library='int work(int n, const double *x, long m);
struct handle *make(int n); void use(struct handle *p); int count(struct handle *p, long *k);
int say(const char *format, ...); int vsay(const char *format, __builtin_va_list list);
typedef struct ops { int (*f)(struct ops *self, int n, long m); void (*g)(struct ops *self, ...); void (*vg)(struct ops *self, __builtin_va_list list); } ops;'
port='#define K_PORT_TYPE "test.K/1"
struct k_port { struct cca_port base; int (*f)(struct k_port *self, int n, const double *x, long m); void (*g)(struct k_port *self); };'

# make_all DIR BEFORE AFTER: the three kinds of code of a header with these lines before and behind what
# it declares, compiled; 1 where one of them is refused. What they say is in DIR/said.
make_all() {
    local at=$1 kind code=0
    rm -rf "$at"
    mkdir "$at"
    printf '%s\n' "$2" "$library" "$3" > "$at/h.h"
    printf '%s\n' '#include "ports/cca_port.h"' "$2" "$port" "$3" > "$at/k_port.h"
    : > "$at/said"
    CC=$dir/quick $proxygen --interpose --functions work,make,use,say --sidecar "$dir/lib.perf" -o "$at/o" "$at/h.h" 2>> "$at/said" || code=1
    $proxygen --table ops --sidecar "$dir/ops.perf" -o "$at/o" "$at/h.h" 2>> "$at/said" || code=1
    $proxygen -I . --sidecar "$dir/port.perf" -o "$at/o" "$at/k_port.h" 2>> "$at/said" || code=1
    for kind in h_interpose h_tables k_port_proxy; do
        [ -e "$at/o/$kind.c" ] || continue
        for compiler in $compilers; do
            (cd "$at" && $compiler -std=gnu11 -D_GNU_SOURCE -w -O0 -fPIC -I"$OLDPWD" -I. -c -o $kind.$compiler.o o/$kind.c) >> "$at/said" 2>&1 ||
                code=1
        done
    done
    return $code
}
# same NAME AT: what was compiled in AT is what was compiled of the plain header.
same() {
    for object in "$dir"/plain/*.o; do
        [ -e "$2/${object##*/}" ] || [ "$compilers" = "gcc clang" ] || continue
        objcopy -R .comment "$2/${object##*/}" 2> /dev/null
        cmp -s "$object" "$2/${object##*/}" || fail "$1: ${object##*/} is other code: $(grep -m 3 error "$2/said")"
    done
}
compilers="gcc clang"
make_all "$dir/plain" "" "" || fail "plain: $(cat "$dir/plain/said")"
for object in "$dir"/plain/*.o; do objcopy -R .comment "$object"; done
[ "$(ls "$dir"/plain/*.o | wc -l)" = 6 ] || fail "plain: $(ls "$dir/plain")"
grep -q 'push_macro' "$dir"/plain/o/*.[ch] && fail "words are fenced in although nobody defines them"

# --- Every word of the code, and of the macros that it uses, at once ------------------------------
{
    cat "$dir"/plain/o/*.[ch]
    sed -n '/^#define/,/[^\\]$/p' proxies/*.h ports/*.h framework/cca.h
} | grep -o '[A-Za-z_][A-Za-z_0-9]*' | sort -u |
    grep -vx 'defined\|K_PORT_TYPE\|__cplusplus\|__GNUC__\|__clang__\|__x86_64__\|__aarch64__\|__VA_ARGS__' > "$dir/words"
[ "$(wc -l < "$dir/words")" -gt 300 ] && grep -qx TABLE_PUT "$dir/words" || fail "words: $(wc -l < "$dir/words")"
for form in '' '(x)'; do
    lines=$(sed "s/.*/#undef &\n#define &$form @/" "$dir/words")
    make_all "$dir/all" "" "$lines" || fail "all words$form: $(grep -m 3 error "$dir/all/said")"
    same "all words$form" "$dir/all"
done
# Users of a table's header have the macros, as if they had included the header itself.
printf '#include "h_tables.h"\nint main(void) { return codec; }\n' > "$dir/use.c"
make_all "$dir/some" "" '#define const
#define char short
#define codec ((char)-1 > 0 ? 1 : sizeof(char) == sizeof(short) ? 0 : 2)' || fail "$(cat "$dir/some/said")"
same "a table for users" "$dir/some"
$CC -w -I"$dir/some" -I"$dir/some/o" -o "$dir/use" "$dir/use.c" && "$dir/use" || fail "macros for users of a table's header"

compilers=gcc
# --- Those that change what the header itself declares: four at once, in a soak one by one ---------
most=4 together=0 lines=
[ -z "${SOAK-}" ] || most=1
try_lines() {
    [ -n "$lines" ] || return
    make_all "$dir/one" "$lines" "" || fail "$lines: $(cat "$dir/one/said")"
    same "$lines" "$dir/one"
    together=0 lines=
}
while IFS= read -r line; do
    lines+=${lines:+$'\n'}$line
    [ $((++together)) -lt $most ] || try_lines
done <<'END'
#define return exit(1);return
#define NULL 7
#define if(x) while(x)
#define sizeof(x) 1
#define size_t int
#define cleanup 3
#define __attribute__(x)
#define __typeof__(x) int
#define PROXIES_INTERPOSE_H
#define _DLFCN_H
#pragma pack(1)
#pragma pack(push, 2)
#pragma GCC poison dlsym errno
#pragma pop_macro("NULL")
#undef __x86_64__
END
try_lines
make_all "$dir/long" '#define int long' "" || fail "long: $(cat "$dir/long/said")"
grep -q '{"n", "long"}' "$dir/long/o/h_interpose.c" && grep -q '{"n", "long"}' "$dir/long/o/k_port_proxy.c" ||
    fail "int is long: other types"
# What is declared hidden is compiled, and looks for the runtime all the same.
make_all "$dir/hidden" '#pragma GCC visibility push(hidden)' "" || fail "hidden: $(cat "$dir/hidden/said")"
readelf -sW "$dir/hidden/h_interpose.gcc.o" | grep 'DEFAULT *UND mm_preload_open' > /dev/null || fail "hidden: the runtime"

# --- What no code can be made of: one line with the place, exit 3, nothing written ------------------
refused() { # WORDS COMMAND...
    local words=$1 code
    shift
    rm -rf "$dir/none"
    "$@" -o "$dir/none" 2> "$dir/err"
    code=$?
    [ $code = 3 ] && [ "$(grep -vc '^#\|^header\|^function\|^table\|^ ' "$dir/err")" = 1 ] && grep -qF -- "$words" "$dir/err" ||
        fail "exit $code, expected 3 and '$words': $(cat "$dir/err")"
    [ -z "$(ls -A "$dir/none" 2> /dev/null)" ] || fail "$words: left $(ls -A "$dir/none")"
}
for macro in __cplusplus __GNUC__ __SIZEOF_LONG__; do
    make_all "$dir/bad" "" "#define $macro 2" && fail "$macro is let through"
    refused "h.h:6:9: error: macro '$macro' takes the place of the compiler's own" $proxygen --table ops "$dir/bad/h.h"
    refused "h.h:6:9: error: macro '$macro' takes the place" $proxygen --interpose --functions work "$dir/bad/h.h"
    refused "k_port.h:5:9: error: macro '$macro' takes the place" $proxygen -I . "$dir/bad/k_port.h"
done
make_all "$dir/bad" "#pragma GCC poison memcpy monitor_method_on" "" && fail "poison is let through"
refused "h.h:1:1: error: the generated code does not compile, at 'memcpy'" $proxygen --table ops "$dir/bad/h.h"
refused "k_port.h:1:1: error: the generated code does not compile, at 'monitor_method_on'" $proxygen -I . "$dir/bad/k_port.h"
make_all "$dir/bad" '#pragma weak work = other' "" && fail "an alias of nothing is let through"
refused "h.h: error: the generated code does not compile" env CC=gcc $proxygen --interpose --functions work "$dir/bad/h.h"

finish
