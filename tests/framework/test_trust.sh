#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Whose components run: directories and libraries that others could have written are refused.
. "$(dirname "$0")/../lib/lib.sh"
umask 022
real=$(pwd -P)
mkdir -p lib/deep
cp "$O/tests/components/sc_source.so" lib/ScSource.so
cp lib/ScSource.so lib/deep
chmod 755 lib/*.so lib/deep/*.so
echo 'instantiate ScSource s' >one.rc
printf 'path append lib\ninstantiate ScSource s\n' >own.rc
run 0 ccafe --path lib one.rc
run 0 ccafe own.rc

# --- Directories -----------------------------------------------------------------------------------
chmod 777 lib
expect 2 "ccafe: --path: everybody can write to '$real/lib'; --trust accepts it" ccafe --path lib one.rc
expect 3 "own.rc:1: everybody can write to '$real/lib'; --trust accepts it" ccafe own.rc
run 3 ccafe check own.rc
run 0 ccafe --trust --path lib one.rc
run 0 ccafe --trust own.rc
run 0 ccafe inspect --path lib ScSource
# Above it, too, but for those where nobody can remove what is another's.
expect 2 "ccafe: --path: everybody can write to '$real/lib'; --trust accepts it" ccafe --path lib/deep one.rc
chmod 1777 lib
run 0 ccafe --path lib/deep one.rc
run 2 ccafe --path lib one.rc
# By another name.
ln -s lib/deep link
chmod 777 lib
run 2 ccafe --path link one.rc
chmod 755 lib

# --- Libraries -------------------------------------------------------------------------------------
chmod 757 lib/ScSource.so
run 3 ccafe --path lib one.rc
complains "one.rc:1: no class 'ScSource' on the path; '$real/lib/ScSource.so' is refused: everybody can write to '$real/lib/ScSource.so'; --trust accepts it"
run 0 ccafe --trust --path lib one.rc
echo 'repository get-ports ScSource.so' >ports.rc
run 3 ccafe --path lib ports.rc
grep -q "everybody can write to" err || fail "get-ports takes what everybody can write"
mkdir -m 777 open
mv lib/ScSource.so open
chmod 755 open/ScSource.so
ln -s ../open/ScSource.so lib/ScSource.so
run 3 ccafe --path lib one.rc
grep -qF "everybody can write to '$real/open'" err || fail "a link to where everybody can write"
rm lib/ScSource.so
cp open/ScSource.so lib
run 0 ccafe --path lib one.rc

# --- Owners ----------------------------------------------------------------------------------------
if [ "$(id -u)" = 0 ] && chown 12345 lib 2>err; then
    expect 2 "ccafe: --path: '$real/lib' belongs to another user, 12345; --trust accepts it" ccafe --path lib one.rc
    run 0 ccafe --trust --path lib one.rc
    chown 0:12345 lib
    run 0 ccafe --path lib one.rc
    chmod 775 lib
    expect 2 "ccafe: --path: group 12345 can write to '$real/lib'; --trust accepts it" ccafe --path lib one.rc
    chown 0:0 lib
    chown 12345 lib/ScSource.so
    run 3 ccafe --path lib one.rc
    grep -qF "belongs to another user, 12345" err || fail "a library of another user"
fi

# --- Where a library's own libraries come from ------------------------------------------------------
mkdir -p deep/er "$real/deep/lib"
mkdir -m 777 deep/open
mkdir -m 1777 deep/sticky
# run_path LIST LINE...: what inspect says of a library with that list.
run_path()
{
    # shellcheck disable=SC2046
    $CC -shared -fPIC $(ccafe cflags) -Wl,--"${tags:-enable}"-new-dtags "-Wl,-rpath,$1" \
        one.c -o deep/er/One.so 2>err || fail "one.c"
    run 0 ccafe inspect deep/er/One.so
    shift
    printf '%s\n' "$@" >expected
    sed -n 's/^run path  //p' out >found
    cmp -s expected found || fail "run path: found $(cat found), expected $(cat expected)"
}
cat >one.c <<'END'
#include "framework/cca.h"

CCA_EXPORT const struct cca_class cca_class = {CCA_CLASS_WITHOUT_SERVICES(char), .name = "One"};
END
for tags in enable disable; do
    run_path /usr /usr
    run_path '$ORIGIN' '$ORIGIN'
    run_path '${ORIGIN}/../lib' '${ORIGIN}/../lib'
    run_path '$ORIGIN/../open' "\$ORIGIN/../open: everybody can write to '$real/deep/open'"
    run_path '$ORIGIN/../nowhere' '$ORIGIN/../nowhere: there is no such directory'
    run_path "$real/deep/sticky/no/where" \
        "$real/deep/sticky/no/where: there is no such directory, and everybody can write to '$real/deep/sticky'"
    run_path 'lib:/usr:.' 'lib: relative: it depends on where the program is started' /usr \
        '.: relative: it depends on where the program is started'
    run_path '/usr::' /usr "'': empty: that is the directory where the program is started" \
        "'': empty: that is the directory where the program is started"
    run_path '/usr/$LIB' \
        '/usr/$LIB: not known: only the dynamic linker can expand this variable'
    run_path "$real/deep/open/../lib" "$real/deep/open/../lib"
done
run_path "$real/deep/open:lib" "$real/deep/open: everybody can write to '$real/deep/open'" \
    'lib: relative: it depends on where the program is started'
run 0 ccafe inspect --json deep/er/One.so
python3 - "$real/deep/open" <<'END' || fail "the run path in JSON"
import json, sys
first, second = json.load(open("out"))["run_path"]
assert first["dir"] == sys.argv[1] and "everybody can write" in first["finding"], first
assert second["dir"] == "lib" and second["finding"].startswith("relative"), second
END

# --- Rights that the caller has not ------------------------------------------------------------------
if [ "$(id -u)" = 0 ] && [ "$BUILD" != asan ] && [ "$BUILD" != tsan ]; then
    mkdir own
    cp "$O/bin/ccafe" own/ccafe
    cat >secure.c <<'END'
#include <sys/auxv.h>
int main(void)
{
    return getauxval(AT_SECURE) ? 0 : 1;
}
END
    $CC secure.c -o own/secure 2>err || fail "secure.c"
    chmod 755 "$dir" && chown 12345 own/secure && chmod 4755 own/secure
    # Such a program is not given the directories of $ORIGIN.
    # shellcheck disable=SC2046
    if own/secure && $CC $(find "$O/obj/framework/cmd" -name '*.o') -o own/ccafe "-L$O/lib" -lcca \
        "-Wl,-rpath,$real/own" $(pkg-config --libs libedit 2>/dev/null) -ldl -pthread 2>err; then
        cp "$O/lib/libcca.so" own
        run 0 own/ccafe --version
        chown 12345 own/ccafe && chmod 4755 own/ccafe
        run 2 own/ccafe --path lib one.rc
        complains "ccafe: refused: it runs code that its caller names, and was installed with rights of its own (set-user-ID, set-group-ID, capabilities)"
        run 2 own/ccafe --version
        chown 0:12345 own/ccafe && chmod 2755 own/ccafe
        run 2 own/ccafe check --path lib one.rc
    else
        echo "set-user-ID has no effect here, or ccafe cannot be linked anew: not tried"
    fi
fi
finish
