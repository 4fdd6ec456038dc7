#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# --compat=ccaffeine: scripts in the forms of Ccaffeine's users mean what they meant there.
. "$(dirname "$0")/../lib/lib.sh"
export HOME=$dir
mkdir lib
cp "$O"/tests/components/sc_{source,worker,wide}.so lib
# told LINE...: these lines and no others on stderr
told()
{
    if [ $# = 0 ]; then
        [ ! -s err ] || fail "words on stderr"
    else
        printf '%s\n' "$@" | diff - err || fail "stderr is not as expected"
    fi
}
both() # both STATUS SCRIPT: by check and by run the same status and words
{
    run "$1" ccafe check --compat=ccaffeine "$2"
    mv err check.err
    run "$1" ccafe --compat=ccaffeine "$2"
    diff check.err err || fail "check and run of $2 say different things"
}

# --- A script with the liberties that were taken ---------------------------------------------------
cat >free.rc <<'EOF'
#!ccaffeine bootstrap file.
  # an indented comment
! another # one
//another
path set OLD_PATH=/not/there:lib:
path append /not/there/either
rep l
repository get-global ScWorker
repository get-lazy ScSource
create scwork the-worker
pulldown SOURCE first-one
instantia ScSource
instantiate ScSource
connect work data FIRST data
connect the-w spare source0 data
conf worker config title it's "free"   $HOME and #open
config worker config nx 7
config the-worker config nx
setSize 842 648
setDropLocation 1 2
move ScSource1 -7 14
setMaximum true
commandCount 3
dis c worker
link
run WORKER go
bye
never read
EOF
sed -i 's/^dis c/disp c/' free.rc
both 0 free.rc
told
cat >expected <<'EOF'
7
connect the-worker data first-one data
connect the-worker spare ScSource0 data
connect the-worker data first-one data
connect the-worker spare ScSource0 data
EOF
grep -e '^7$' -e ^connect out | diff expected - || fail "free.rc prints something else"
grep -qF "title 'it's \"free\" \$HOME and #open'" out || fail "the value is not as written"
run 3 ccafe free.rc # not without the option
run 2 ccafe --compat=other free.rc
told "ccafe: --compat 'other': expected ccaffeine"

# --- Errors end nothing, and are not forgotten --------------------------------------------------------
cat >errors.bld <<'EOF'
path append lib
create ScWorker w
create DataHolder DataHolder0
create Printer.Component
parameters DataHolder0 CONFIG rows 10
go DataHolder0 freeze
connect w spare DataHolder0 map
connect DataHolder0 in Component0 out
connect w dat DataHolder0 map
parameters w config nx 1000
pal
create
foo
create ScSource s
connect w data s data
create ScSource t extra # note
parameters w config title a ; # generator's comment
parameters w config title
go w go
eof
EOF
both 3 errors.bld
told "errors.bld:3: no class 'DataHolder' on the path" \
    "errors.bld:4: no class 'Printer.Component' on the path" \
    "errors.bld:9: 'w' has no uses port 'dat'; did you mean 'data'?" \
    "errors.bld:10: parameter 'nx' of 'w' lies between 1 and 100, found '1000'" \
    "errors.bld:11: 'pal' is ambiguous: pallet, palette" \
    "errors.bld:12: too few arguments, 0 found; expected: instantiate CLASS [NAME]" \
    "errors.bld:13: unknown command 'foo'" \
    "errors.bld:16: too many arguments, 5 found; expected: instantiate CLASS [NAME]"
grep -qx a out || fail "a comment behind a semicolon is part of a value"
grep -q '^w: 42' out || fail "the script does not go on after errors"

# --- Semicolons that stand alone, and the instance that is built in -----------------------------------
cat >alone.rc <<'EOF'
path append lib ;
create ScSource s ;
 ;
create ScWorker w
connect w data s data ;
connect w data MPISetup MPIService
connect w dat mpisetup MPIService
remove MPISetup
parameters w config title a;b
parameters w config title c ; d
EOF
both 3 alone.rc
told "alone.rc:6: 'data' of 'w' is sc.DataPort/1, 'MPISetup' provides cca.MPIPort/1" \
    "alone.rc:7: 'w' has no uses port 'dat'; did you mean 'data'?" \
    "alone.rc:8: 'MPISetup' is built in and cannot be removed"
for flavour in openmpi mpich; do
    [ -e "$components/$flavour/ring.so" ] || continue
    printf '%s\n' "path append $components/$flavour" 'create Ring ring' \
        'connect ring mpi MPISetup MPIService' 'disconnect ring mpi MPISetup MPIService' >ring.rc
    both 0 ring.rc
    expect 3 "ring.rc:3: no instance 'MPISetup'" ccafe ring.rc
done

printf 'create Nothing n\nquit 9\n' >nine.rc
run 9 ccafe --compat=ccaffeine nine.rc
printf 'create Nothing n\nquit\n' >none.rc
run 3 ccafe --compat=ccaffeine none.rc
cat >fails.rc <<'EOF'
path append lib
create ScWorker w
create ScSource s
connect w data s data
parameters w config fail number
go w go
go w go
exit
EOF
run 4 ccafe --compat=ccaffeine fails.rc
told "fails.rc:6: 'go' of 'w' returned 7" "fails.rc:7: 'go' of 'w' returned 7"
printf 'exit now\ncreate Nothing n\n' >junk.rc
run 3 ccafe --compat=ccaffeine junk.rc
told "junk.rc:1: 'now' is no exit status; expected 0 to 255"

# --- Index files --------------------------------------------------------------------------------------
mkdir index elsewhere
mv lib/sc_worker.so elsewhere
cp lib/sc_source.so index
cat >index/a.cca <<EOF
# an old index file
!date=Mon May 12 15:19:28 PDT 2003
!builder=somebody
!Provides=gov.cca.GoPort
create_Nothing BeforeAnyLibrary
sc_source.so
create_Source Old::Source
!location=$dir/elsewhere
sc_worker.so
create_Worker Worker
libGone.so
create_Gone Gone
one two three
EOF
printf '<?xml version="1.0"?>\n<x>\nsc_source.so\ncreate_x Xml\n' >index/b.cca
: >index/empty.cca
printf 'sc_source.so\ncreate_x Worker' >index/z.cca # the first of a name counts
printf '\0\1\377 \0\n\n!\n#' >index/binary.cca
cat >index.cl <<'EOF'
path append index
create Worker
create Old::Source
repository get Worker
connect work data Source0 data
go Worker0 go
create Gone g
create Xml x
arena
EOF
both 3 index.cl
told "index.cl:7: no class 'Gone' on the path; $dir/index/a.cca:12 names the library 'libGone.so', which is no component library there" \
    "index.cl:8: no class 'Xml' on the path; the index file '$dir/index/b.cca' is in XML, which is not read"
printf '%s\n' 'instantiate ScWorker Worker0' 'instantiate ScSource Source0' >expected
grep '^instantiate' out | diff expected - || fail "classes of index files get other names"
cp elsewhere/sc_worker.so lib

printf '<component name="Xml"/>\n' >index/Xml.depl.cca
printf 'path append index\ncreate Xml x\n' >xml.rc
both 3 xml.rc
told "xml.rc:2: no class 'Xml' on the path; the index file '$dir/index/Xml.depl.cca' is in XML, which is not read"
rm index/Xml.depl.cca

# --- A script as tools and people wrote them: blanks in front and behind, a directory that is of another
# machine, abbreviations, notes of the generator, values of several words -----------------------------------
printf '%s\n' '#!ccaffeine bootstrap file. ' '# ------- nothing above changes' 'path set /opt/nothing/lib' '' \
    '#old.Printer#' 'path append index ; # of this machine' '!header {#include <iostream>}' 'rep list' \
    '    repository get-global   Worker ' '!code { // }' '    instantiate Worker w1' \
    '    instantiate Old::Source s1 ' 'config w1 config ALL' 'parameter w1 config ratio 23.5' \
    'parameter w1 config ratio ' 'parameters w1 config title "-a  -b"' 'config w1 config title' \
    'connect w1 data s1 data' 'go w1 go' 'disconnect w1 data s1 data' 'remove w1' 'eof' >tool.rc
both 0 tool.rc
told
grep -qx "w1: 42, nx 4, ratio 23.5, loud 0, title '\"-a -b\"'" out || fail "a script of a tool does not run"

# --- A library that has the class's name and is none ----------------------------------------------------
echo "no library" >lib/libPrinter.so
printf 'path append lib\ncreate old.Printer\n' >printer.rc
both 3 printer.rc
told "printer.rc:2: no class 'old.Printer' on the path; '$dir/lib/libPrinter.so': not an ELF file"

# --- The first script -------------------------------------------------------------------------------------
printf '#!ccaffeine\npath append lib\nrepository init\n#!eof\nfoo\n' >.ccaferc
run 3 ccafe --compat=ccaffeine
told "$dir/.ccaferc:3: 'repository init' needs the option --load CLASSES"
run 0 ccafe --compat=ccaffeine --load ScWorker:ScSource
told
echo pallet | ccafe --compat=ccaffeine --ccafe-component-load ScWorker:ScSource >out 2>err
printf 'repository get ScSource\nrepository get ScWorker\n' | diff - out ||
    fail "an rc file and then standard input"
echo 'path append lib' >plain.rc
CCAFE_RC_FILE=plain.rc run 3 ccafe --compat=ccaffeine
told "ccafe: rc file 'plain.rc' does not begin with #!ccaffeine"
CCAFE_RC_FILE=nowhere.rc run 5 ccafe --compat=ccaffeine
run 0 ccafe --compat=ccaffeine --ccafe-rc .ccaferc --load ScWorker free.rc
run 3 ccafe --ccafe-rc .ccaferc --load NotThere free.rc
told ".ccaferc:3: no class 'NotThere' on the path"
printf '#!ccaffeine\nquit 6\n' >six.rc
run 6 ccafe --rc six.rc free.rc
printf 'path init\npath\n' >init.rc
CCA_COMPONENT_PATH=lib run 0 ccafe --compat=ccaffeine --ccafe-component-path elsewhere:nowhere init.rc
[ "$(head -n 2 out)" = "$dir/lib
$dir/elsewhere" ] || fail "path init"
run 0 ccafe --ccafe-component-path elsewhere init.rc

finish
