#!/bin/bash
# Whose components run: directories and libraries that others could have written are refused.
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset CCA_LIB CCA_COMPONENT_PATH
cd "$dir" || exit 1
umask 022
failures=0
fail()
{
    failures=$((failures + 1))
    echo "FAILED: $*"
    cat out err
}
run() # STATUS COMMAND...
{
    want=$1
    shift
    "$@" >out 2>err
    status=$?
    [ $status = "$want" ] || fail "$*: status $status, expected $want"
}
complains()
{
    grep -qxF -- "$1" err || fail "stderr has no line: $1"
}
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
run 2 ccafe --path lib one.rc
complains "ccafe: --path: everybody can write to '$real/lib'"
run 3 ccafe own.rc
complains "own.rc:1: everybody can write to '$real/lib'"
run 3 ccafe check own.rc
run 0 ccafe --trust --path lib one.rc
run 0 ccafe --trust own.rc
run 0 ccafe inspect --path lib ScSource
# Above it, too, but for those where nobody can remove what is another's.
run 2 ccafe --path lib/deep one.rc
complains "ccafe: --path: everybody can write to '$real/lib'"
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
complains "one.rc:1: no class 'ScSource' on the path; '$real/lib/ScSource.so' is refused: everybody can write to '$real/lib/ScSource.so'"
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
    run 2 ccafe --path lib one.rc
    complains "ccafe: --path: '$real/lib' belongs to another user, 12345"
    run 0 ccafe --trust --path lib one.rc
    chown 0:12345 lib
    run 0 ccafe --path lib one.rc
    chmod 775 lib
    run 2 ccafe --path lib one.rc
    complains "ccafe: --path: group 12345 can write to '$real/lib'"
    chown 0:0 lib
    chown 12345 lib/ScSource.so
    run 3 ccafe --path lib one.rc
    grep -qF "belongs to another user, 12345" err || fail "a library of another user"
fi
[ $failures = 0 ]
