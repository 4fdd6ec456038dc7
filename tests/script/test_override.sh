#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# --set and --class override scripts: what runs then, which mistakes in them are found when, and with which
# words and status.
. "$(dirname "$0")/../lib/lib.sh"
unset NOT_SET
cc() # cc [check] OPTIONS... SCRIPT
{
    local how=run
    case $1 in run | check) how=$1 && shift ;; esac
    ccafe $how --path "$components" --path "$components/script" "$@"
}

cat >one.rc <<'END'
instantiate $WORKER worker
instantiate ScSource source
connect worker data source data
parameter worker config nx 5
go worker go
parameter worker config nx 6
go worker go
quit
END

# --- What runs
says_all() { [ "$(cat out)" = "$1" ] || fail "found other output than: $1"; }
run 0 cc -D WORKER=ScWorker one.rc
says_all "worker: 42, nx 5, ratio 0.5, loud 0, title ''
worker: 42, nx 6, ratio 0.5, loud 0, title ''"
for script in one.rc -; do
    run 0 cc --class worker=ScWorker --set worker.config.nx=7 --set source.config.value=1 \
        --set 'worker.config.title=two = words' --set worker.config.ratio=1e3 $script <one.rc
    says_all "worker: 1, nx 7, ratio 1000, loud 0, title 'two = words'
worker: 1, nx 7, ratio 1000, loud 0, title 'two = words'"
    quiet
done
run 0 cc check --class worker=ScWorker --set worker.config.nx=7 one.rc
says "one.rc: no mistakes: 2 instances, 1 connection"
# The last of several counts; a value may be empty.
run 0 cc -D WORKER=ScWorker --set worker.config.nx=3 --set worker.config.nx=4 --class source=None \
    --class source=ScSource --set worker.config.title= one.rc
holds out "nx 4, "
# The script's own class is not looked for, nor its value read.
run 0 cc -D WORKER=None --class worker=ScWorker --set worker.config.nx=8 - <<'END'
instantiate $WORKER worker
instantiate ScSource
connect worker data ScSource0 data
parameter worker config nx none
go worker go
END
says_all "worker: 42, nx 8, ratio 0.5, loud 0, title ''"

# Default names, instances made again, sourced files, a first script.
cat >inner.rc <<'END'
instantiate ScSource
instantiate ScSource
instantiate ScWorker w
connect w data ScSource1 data
go w go
remove w
instantiate ScWorker w
connect w data ScSource0 data
go w go
END
echo 'source inner.rc' >outer.rc
{ echo '#!ccaffeine'; cat outer.rc; } >first.rc
echo 'quit' >quit.rc
for script in inner.rc outer.rc "--rc first.rc quit.rc"; do
    run 0 cc --set ScSource1.config.value=3 --set w.config.nx=9 $script
    says_all "w: 3, nx 9, ratio 0.5, loud 0, title ''
w: 42, nx 9, ratio 0.5, loud 0, title ''"
done
printf 'instantiate ScWorker\ndisplay arena\n' >default.rc
run 0 cc --class ScWorker0=ScSource default.rc
says_all "instantiate ScSource ScWorker0"

# debug names the options.
run 0 cc --class s=ScSource --set s.config.value=4 - <<'END'
debug
instantiate $NOT_SET s
parameter s config value 5
END
printf '%s\n' "stdin:2: + instantiate  s" "stdin:2: --class s=ScSource overrides this command" \
    "stdin:3: + parameter s config value 5" "stdin:3: --set s.config.value=4 overrides this command" >wanted
diff wanted err || fail "debug"

# As Ccaffeine reads: the class by a part of its name, the instance exactly.
cat >old.rc <<'END'
repository get ScWorker
repository get ScSource
instantiate Nothing w
instantiate source s
connect w data s data
parameter W config nx 5
go w go
END
run 0 cc --compat=ccaffeine --class w=work --set w.config.nx=6 old.rc
says_all "w: 42, nx 6, ratio 0.5, loud 0, title ''"
run 2 cc --compat=ccaffeine --class W=work old.rc
complains "ccafe: --class W=work: the script makes no instance 'W'; did you mean 'w'?"

# --- Variables
undefined="is not defined (set it with -D NOT_SET=VALUE or in the environment)"
wrong() # wrong STATUS LINE OPTIONS... <SCRIPT: by run and by check
{
    local want=$1 line=$2
    shift 2
    cat >wrong.rc
    for how in run check; do
        run "$want" cc $how "$@" wrong.rc
        complains "$line"
        [ "$(wc -l <err)" = 1 ] || fail "$how: more than one line"
        [ ! -s out ] || fail "$how: something ran"
    done
}
wrong 3 "wrong.rc:1: variable 'NOT_SET' $undefined" --class s=ScSource <<<'instantiate $NOT_SET w'$'\n''instantiate ScSource s'
wrong 3 "wrong.rc:1: variable 'NOT_SET' $undefined" --class s=ScSource <<<'instantiate $NOT_SET $NOT_SET'$'\n''instantiate ScSource s'
wrong 3 "wrong.rc:1: variable 'NOT_SET' $undefined" --class s=ScSource <<<'repository $NOT_SET s'$'\n''instantiate ScSource s'
wrong 3 "wrong.rc:2: variable 'NOT_SET' $undefined" --set s.config.value=4 <<'END'
instantiate ScSource s
parameter s config value $NOT_SET
END

# --- Mistakes in options
for bad in nx=4 w.config=4 w.config.nx w.config.nx.x=4 .config.nx=4 w..nx=4 w.config.=4 =4 ''; do
    run 2 cc --set "$bad" one.rc
    complains "ccafe: --set '$bad': expected INSTANCE.PORT.NAME=VALUE"
done
for bad in w w= =ScSource w.x=ScSource ''; do
    run 2 cc check --class "$bad" one.rc
    complains "ccafe: --class '$bad': expected INSTANCE=CLASS"
done
run 2 ccafe --set
complains "ccafe: '--set' needs a value"

mistake() # mistake LINE OPTIONS...: found before anything runs, and by check
{
    local line=$1
    shift
    wrong 2 "$line" "$@" <<'END'
instantiate ScWorker worker
instantiate ScSource source
connect worker data source data
go worker go
quit
END
}
mistake "wrong.rc:1: --set worker.config.nx=abc: parameter 'nx' of 'worker' is an integer, found 'abc'" --set worker.config.nx=abc
mistake "wrong.rc:1: --set worker.config.nx=101: parameter 'nx' of 'worker' lies between 1 and 100, found '101'" --set worker.config.nx=101
mistake "wrong.rc:1: --set worker.config.fail=x: parameter 'fail' of 'worker' is one of no|number|words|hold|signal, found 'x'" --set worker.config.fail=x
mistake "wrong.rc:1: --set worker.config.nz=4: 'worker' has no parameter 'nz'; did you mean 'nx'?" --set worker.config.nz=4
mistake "wrong.rc:1: --set worker.confg.nx=4: 'worker' has no provides port 'confg'; did you mean 'config'?" --set worker.confg.nx=4
mistake "ccafe: --set wroker.config.nx=4: the script makes no instance 'wroker'; did you mean 'worker'?" --set wroker.config.nx=4
mistake "ccafe: --class wroker=ScWorker: the script makes no instance 'wroker'; did you mean 'worker'?" --class wroker=ScWorker
mistake "wrong.rc:1: --class worker=ScWrker: no class 'ScWrker' on the path; did you mean 'ScWorker'?" --class worker=ScWrker
mistake "ccafe: --set s.config.title=two?lines: the script makes no instance 's'" --set s.config.title=two$'\n'lines
# Each of several; a mistake of the script counts more in check, and comes second in a run.
run 2 cc check --set worker.config.nx=0 --set source.config.value=x --class s=ScSource wrong.rc
[ "$(wc -l <err)" = 3 ] || fail "three mistakes"
echo 'arena all' >>inner.rc
run 3 cc check --set w.config.nx=0 inner.rc
run 2 cc --set w.config.nx=0 inner.rc
[ "$(wc -l <err)" = 2 ] || fail "a wrong value: one line for each instance"
run 3 cc --set w.config.nx=1 inner.rc
complains "inner.rc:10: too many arguments, 1 found; expected: arena"
# The class fits no connection of the script: that is a mistake there.
run 3 cc --class worker=ScSource -D WORKER=ScWorker one.rc
complains "one.rc:3: 'data' is a provides port of 'worker', a uses port is wanted here"
run 5 cc --class worker=ScSource none.rc
[ "$(cat err)" = "cannot read script 'none.rc': No such file or directory" ] || fail "a script that is not there"

# Standard input is read once: a value is found at its instance, a name that is never made at the end.
run 2 cc --set worker.config.nx=0 - <wrong.rc
complains "stdin:1: --set worker.config.nx=0: parameter 'nx' of 'worker' lies between 1 and 100, found '0'"
run 2 cc --set wroker.config.nx=4 - <wrong.rc
complains "ccafe: --set wroker.config.nx=4: the script makes no instance 'wroker'; did you mean 'worker'?"
says "worker: 42, nx 4, ratio 0.5, loud 0, title ''"
run 7 cc --set wroker.config.nx=4 - <<<'quit 7'
complains "ccafe: --set wroker.config.nx=4: the script makes no instance 'wroker'"

# --- Parameters that components add
cat >late.rc <<'END'
instantiate ScLate late
go late go
go late go
END
run 0 cc --set late.own.first=5 --set late.own.second=6 late.rc
says_all "go 1: first 5, second 2
go 2: first 5, second 6"
run 0 cc check --set late.own.first=5 --set late.own.third=6 late.rc
run 2 cc --set late.own.third=6 late.rc
complains "ccafe: --set late.own.third=6: 'late' has no parameter 'third'"
head -n 2 late.rc >once.rc
run 2 cc --set late.own.second=6 once.rc
complains "ccafe: --set late.own.second=6: 'late' had no parameter 'second' at any command"
run 4 cc --set late.own.first=13 late.rc
complains "late.rc:1: --set late.own.first=13: 'late' refuses '13' as its parameter 'first': unlucky"

finish
