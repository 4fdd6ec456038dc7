#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Commands of scripts that test_ccafe.sh has not: properties, nuke, shell, debug, help, the listings,
# libraries of symbols; and scripts that come from standard input, a pipe or a terminal.
. "$(dirname "$0")/../lib/lib.sh"
# run STATUS OPTIONS...: the script is standard input
run()
{
    want=$1
    shift
    cat >script
    ccafe --path "$components" "$@" <script >out 2>err
    status=$?
    [ $status = "$want" ] || fail "$*: status $status, expected $want"
}
prints() # prints TEXT: nothing else on stdout
{
    printf '%s' "$1" | diff - out || fail "stdout is not as expected"
}
told() # told TEXT: nothing else on stderr
{
    printf '%s' "$1" | diff - err || fail "stderr is not as expected"
}

# --- Properties --------------------------------------------------------------------------------------
run 0 <<'EOF'
create ScWorker w
property w colour light   blue
property w 'a key' ''
property w colour
property w
port-property w data weight Double 1e3
port-property w data count Int -7
port-property w data big Long 0x7fffffffffffffff
port-property w data ok Bool yes
port-property w data name String "two  blanks"
port-property w data part Float .1
port-property w data z Fcomplex (1,-2)
port-property w data edges DoubleArray 0 0.5 1e3
port-property w data names StringArray 'one "two three"'
port-property w data weight
port-property w data edges
port-property w data
port-property w data weight Double 2
port-property w data weight
display state
EOF
told ''
prints 'light blue
property w colour "light blue"
property w "a key" ""
1000
0 0.5 1000
# port-property w data cca.portName String data
# port-property w data cca.portType String "sc.DataPort/1"
# port-property w data MIN_CONNECTIONS Int 1
# port-property w data MAX_CONNECTIONS Int 1
port-property w data ABLE_TO_PROXY Bool true
port-property w data weight Double 1000
port-property w data count Int -7
port-property w data big Long 9223372036854775807
port-property w data ok Bool true
port-property w data name String "two  blanks"
port-property w data part Float 0.1
port-property w data z Fcomplex (1,-2)
port-property w data edges DoubleArray "0 0.5 1000"
port-property w data names StringArray "one \"two three\""
2
instantiate ScWorker w
property w colour "light blue"
property w "a key" ""
parameter w config nx 4
parameter w config ratio 0.5
parameter w config loud false
parameter w config title ""
parameter w config fail no
'
mistake() # mistake WORDS LINE...: of the last line, by run and by check
{
    words=$1
    shift
    for how in run check; do
        printf '%s\n' 'create ScWorker w' 'create ScSource s' 'connect w data s data' "$@" >script
        ccafe $how --path "$components" script >out 2>err
        [ $? = 3 ] || fail "$how $*: not refused"
        told "script:$((3 + $#)): $words
"
    done
}
mistake "no instance 'x'" 'property x'
mistake "'w' has no port 'dta'; did you mean 'data'?" 'port-property w dta'
mistake "'Integer' is no type of a property; expected Int, Long, Float, Double, Fcomplex, Dcomplex, String, Bool, or one of these with Array behind it" \
    'port-property w data n Integer 3'
mistake "'3.5' is no value of type Int" 'port-property w data n Int 3.5'
mistake "'3000000000' is no value of type Int" 'port-property w data n Int 3000000000'
mistake "'' is no value of type Double" "port-property w data n Double ''"
mistake "property 'n' is of type Int, found a value of type Bool" \
    'port-property w data n Int 3' 'port-property w data n Bool true'
mistake "property 'n' has no value; expected KEY TYPE VALUE" 'port-property w data n Int'
mistake "property 'MAX_CONNECTIONS' of port 'data' is fixed by the class" \
    'port-property w data MAX_CONNECTIONS Int 5'
mistake "the name of a property is empty" "property w '' x"
mistake "too few arguments, 0 found; expected: property INSTANCE [KEY [VALUE]]" 'property'
run 3 <<'EOF'
create ScWorker w
property w nothing
EOF
told "stdin:2: 'w' has no property 'nothing'
"
# What a property forbids is forbidden.
mistake "no interposer may front 'data' of 's' (sc.DataPort/1)" \
    'port-property s data ABLE_TO_PROXY Bool no' 'insert s data'

# --- Listings ------------------------------------------------------------------------------------------
run 0 <<'EOF'
create ScWorker a
create ScWorker b
create ScSource s
connect a data s data
connect b spare s data
arena
instances
links
chain
classes
pallet
palette
display chain b
display chain s
EOF
prints "$(printf 'instantiate ScWorker a\ninstantiate ScWorker b\ninstantiate ScSource s\n%.0s' 1 2
    printf 'connect a data s data\nconnect b spare s data\n%.0s' 1 2
    printf 'repository get ScSource\nrepository get ScWorker\n%.0s' 1 2 3
    printf 'connect b spare s data\n'
    printf 'connect a data s data\nconnect b spare s data\n')
"
mistake "no instance 'x'" 'display chain x'

# --- nuke ------------------------------------------------------------------------------------------------
run 0 <<'EOF'
create ScSource s
create ScWorker w
create ScWorker v
connect w data s data
connect v data s data
parameter w config fail hold
go w go
nuke all
arena
create ScSource s
EOF
[ "$(wc -l <out)" = 1 ] || fail "nuke leaves something"
run 0 <<'EOF'
nuke all
EOF
mistake "'nuke' takes the word 'all', found 'w'" 'nuke w'
mistake "too few arguments, 0 found; expected: nuke all" 'nuke'

# --- shell -----------------------------------------------------------------------------------------------
run 3 <<'EOF'
shell touch made
EOF
told "stdin:1: 'shell' is not allowed here; the option --allow-shell allows it
"
[ ! -e made ] || fail "shell runs without being allowed"
run 0 --allow-shell <<'EOF'
palette
shell echo one   two
system 'echo "one   two"; cat >/dev/null'
EOF
told ''
prints 'one two
one   two
'
run 4 --allow-shell <<'EOF'
shell exit 7
EOF
told "stdin:1: 'exit' ended with status 7
"
printf 'shell touch made\n' >shell.rc
ccafe check --allow-shell shell.rc >out 2>err || fail "check refuses shell"
ccafe check shell.rc >out 2>err && fail "check allows shell"
[ ! -e made ] || fail "check runs a shell"

# --- debug -----------------------------------------------------------------------------------------------
run 0 <<'EOF'
noisy
create ScSource 's'
property s name "a	b"
nodebug
create ScSource
debug
quiet
EOF
told 'stdin:2: + create ScSource s
stdin:3: + property s name a?b
stdin:4: + nodebug
stdin:7: + quiet
'

# --- help ------------------------------------------------------------------------------------------------
echo help | ccafe >out 2>err
[ "$(awk 'length > 100' out | wc -l)" = 0 ] || fail "help is wider than 100 columns"
for command in path repository instantiate connect disconnect parameter go remove nuke insert eject \
    property port-property display palette arena chain source shell debug nodebug help quit; do
    grep -q "^$command  *[a-z]" out || fail "help does not name $command"
    echo "help $command" | ccafe >one 2>err || fail "no help on $command"
    grep -q "^$command" one || fail "help $command says something else"
    [ "$(awk 'length > 100' one | wc -l)" = 0 ] || fail "help $command is wider than 100 columns"
done
run 0 <<'EOF'
? conf
EOF
grep -q '^parameter INSTANCE' out || fail "help does not know abbreviations"
grep -qx '    also: parameters, configure' out || fail "help does not tell the other names"
run 3 <<'EOF'
help me
EOF
told "stdin:1: unknown command 'me'
"
# Every name of every command, and none else.
for name in path repository instantiate create pulldown connect disconnect parameters configure parameter \
    go run remove nuke insert eject property port-property display pallet palette classes arena instances \
    links chain source shell system debug noisy nodebug quiet help '?' quit exit bye x; do
    echo "help $name" | ccafe >/dev/null 2>err || fail "$name is no command"
done

# --- Libraries of symbols ------------------------------------------------------------------------------------
if [ "$BUILD" != asan ] && [ "$BUILD" != tsan ]; then
    mkdir symbols
    cat >symbols/answer.c <<'EOF'
int answer_of_all(void);
int answer_of_all(void) { return 42; }
EOF
    $CC -shared -fPIC symbols/answer.c -o symbols/libanswer.so
    rm symbols/answer.c
    cat >Answerer.c <<'EOF'
#include "framework/cca.h"
#include <stdio.h>
int answer_of_all(void);
static int asker_set_services(void *self, struct cca_services *services, struct cca_error *err)
{
    (void)self, (void)services, (void)err;
    printf("%d\n", answer_of_all());
    return 0;
}
CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS_WITHOUT_SERVICES(char), .name = "Answerer", .set_services = asker_set_services};
EOF
    # shellcheck disable=SC2046
    $CC -shared -std=gnu11 $(ccafe cflags) Answerer.c -o symbols/Answerer.so
    run 4 <<'EOF'
path append symbols
create Answerer
EOF
    grep -q 'answer_of_all' err || fail "the missing symbol is not named"
    for library in libanswer.so symbols/libanswer.so; do
        run 0 <<EOF
path append symbols
repository get-ports $library
create Answerer
EOF
        prints '42
'
        ccafe check script >out 2>err || fail "check refuses $library"
    done
    head -c 3000 symbols/libanswer.so >symbols/cut.so
    echo text >symbols/text.so
    for bad in cut.so text.so symbols/none.so; do
        run 3 <<EOF
path append symbols
repository get-ports $bad
EOF
        mv err run.err
        ccafe check - <script >out 2>err && fail "check takes $bad"
        diff run.err err || fail "check and run say different things of $bad"
    done
fi
mistake "'repository get-ports' takes one LIBRARY, found 0 arguments" 'repository get-ports'

# --- Where a script may come from -----------------------------------------------------------------------------
printf 'create ScSource s\r\narena' >dos.rc
for try in 'ccafe --path C dos.rc' 'ccafe --path C - <dos.rc' 'ccafe --path C <dos.rc' \
    'cat dos.rc | ccafe --path C' 'ccafe --path C <(cat dos.rc)' 'ccafe run --path C /dev/stdin <dos.rc'; do
    eval "${try/C/\$components}" >out 2>err || fail "$try"
    prints 'instantiate ScSource s
'
done
ccafe check --path "$components" - <dos.rc >out 2>err || fail "check of standard input"
prints 'stdin: no mistakes: 1 instance, 0 connections
'
printf '\xef\xbb\xbfbad' | ccafe >out 2>err
told "stdin:1: unknown command 'bad'
"
printf 'arena\n\0\narena\n' | ccafe >out 2>err
told "stdin:2: a NUL byte; a script is text
"
{ head -c 1048576 /dev/zero | tr '\0' x; printf '\nbad\n'; } >long.rc
ccafe <long.rc >out 2>err && fail "a line of 1 MiB is taken"
told "stdin:1: the line is longer than 65536 bytes
"
ccafe check - <long.rc >out 2>err
told "stdin:1: the line is longer than 65536 bytes
stdin:2: unknown command 'bad'
"
printf 'source inner/more.rc\n' >outer.rc
mkdir inner
printf 'arena\nbad\n' >inner/more.rc
ccafe <outer.rc >out 2>err
[ $? = 3 ] || fail "an error in a file that standard input sources is no error"
told "inner/more.rc:2: unknown command 'bad'
"
ccafe <&- >out 2>err
[ $? = 5 ] || fail "no standard input is no error"

# --- A terminal -----------------------------------------------------------------------------------------------
cat >terminal.py <<'EOF'
import os, pty, select, sys, time
def session(text, *options):
    """Type `text` once a prompt has come, each line after the answer to the one before."""
    child, fd = pty.fork()
    if child == 0:
        os.environ["TERM"] = "dumb"
        os.execvp("ccafe", ["ccafe", *options])
    seen, lines = b"", text.split("\n")
    prompts = 0
    start = time.monotonic()
    while time.monotonic() < start + 120:
        for second in range(60):
            if select.select([fd], [], [], 1)[0]:
                break
            # Between a prompt and the editing of the line that it asks for a ^D is no end, but may be
            # a character of the line, which goes with ^U.
            if second and not lines and prompts:
                os.write(fd, b"\x15\x04")
        else:
            sys.exit("nothing comes any more after: %r" % seen)
        try:
            more = os.read(fd, 4096)
        except OSError:
            break
        if not more:
            break
        seen += more
        now = seen.count(b"ccafe> ") + seen.count(b"     > ")
        while prompts < now and lines:
            os.write(fd, lines.pop(0).encode() + b"\n")
            prompts += 1
        if prompts < now:
            os.write(fd, b"\x04")
            prompts = now
    else:
        sys.exit("it does not end after: %r" % seen)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), seen.decode()
components = sys.argv[1]
status, seen = session("create ScSource s\ncreate ScSource s\narena\ncreate ScSource \\\n t\narena\nquit 5",
                       "--path", components)
assert status == 5, (status, seen)
assert "stdin:2: there is an instance 's' already" in seen, seen
assert seen.count("instantiate ScSource s") == 2 and "instantiate ScSource t" in seen, seen
status, seen = session("bad", "--path", components) # the end by ^D; a person has seen the mistake
assert status == 0, (status, seen)
assert "stdin:1: unknown command 'bad'" in seen, seen
status, seen = session("create ScSource s\nparameter s config value 5\nparameter s config value", "--path", components,
                       "--set", "s.config.value=6", "--class", "t=ScSource")
assert status == 0, (status, seen) # a person has seen it
assert "stdin:2: --set s.config.value=6 overrides this command" in seen, seen
assert "\n6\r" in seen and "ccafe: --class t=ScSource: the script makes no instance 't'" in seen, seen
status, seen = session("create Nothing n\nconnect n a n b", "--compat=ccaffeine")
assert status == 3, (status, seen)
EOF
python3 terminal.py "$components" >out 2>err || fail "a session at a terminal"

finish
