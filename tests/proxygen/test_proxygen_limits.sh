#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# What proxygen does with headers and sidecars beyond all measure, and with those that are never read to the end: its
# limits of time and memory, signals to end, and that nothing of it is left then.
. "$(dirname "$0")/../lib/lib.sh"
cd "$root" || exit 1
proxygen=$O/bin/proxygen

python3 tests/data/proxygen/hostile.py "$proxygen" || fail "headers beyond measure"
python3 tests/data/proxygen/sidecars.py "$proxygen" || fail "sidecars beyond measure"

printf 'int work(int n);\n' > "$dir/plain.h"
printf 'header plain.h\nfunction work\n    param n\n' > "$dir/plain.perf"

# stopped NAME WORDS COMMAND...: exit 3, one line with the words, nothing left.
stopped() {
    local name=$1 words=$2 code
    shift 2
    "$@" -o "$dir/out" 2> "$dir/err"
    code=$?
    [ $code = 3 ] && [ "$(wc -l < "$dir/err")" = 1 ] && grep -qF -- "$words" "$dir/err" ||
        fail "$name: exit $code, expected 3 and '$words': $(cat "$dir/err")"
    [ -z "$(ls -A "$dir/out" 2> /dev/null)" ] || fail "$name: left $(ls -A "$dir/out")"
}

# --- Names that mean something to a compiler, a shell, a format or a terminal ------------------------
(
    cd "$dir" || exit 1
    for name in -x @x 'a
b' 'a"b' 'a\b' "a'b" '%s%n' '$(touch canary)' '*'; do
        "$proxygen" --interpose --functions work --sidecar plain.perf -o "$name" plain.h 2> err &&
            [ -s "./$name/plain_interpose.so" ] && [ ! -s err ] || { echo "directory $name: $(cat err)"; exit 1; }
        rm -r "./$name"
        cp plain.h "./$name.h"
        "$proxygen" --interpose --functions work -o odd "./$name.h" 2> err
        case $name:$? in -x:0) continue ;; *:3) ;; *) echo "header $name: $(cat err)"; exit 1 ;; esac
        [ "$(wc -l < err)" = 1 ] && grep -q 'error: code cannot include a header of this name' err ||
            { echo "header $name: $(cat err)"; exit 1; }
    done
    [ ! -e canary ]
) || fail "odd names"

# --- The limits fire ---------------------------------------------------------------------------------
mkfifo "$dir/fifo"
printf '#include "fifo"\nint work(int n);\n' > "$dir/waits.h"
stopped "a fifo" "waits.h: error: clang has not read it in 1 s" \
    env PROXYGEN_WALL_S=1 "$proxygen" --interpose --functions work "$dir/waits.h"
# A bomb of macros and a header without end are a port's in test_proxygen.sh, and functions' in a soak.
if [ -n "${SOAK-}" ]; then
    {
        echo '#define A0 +1'
        for i in $(seq 1 40); do echo "#define A$i A$((i - 1)) A$((i - 1)) A$((i - 1)) A$((i - 1))"; done
        echo 'int work(int n[0 A40]);'
    } > "$dir/computes.h"
    stopped "a bomb of macros" "computes.h: error: clang has not read it in the 1 s of computing" \
        env PROXYGEN_CPU_S=1 "$proxygen" --interpose --functions work "$dir/computes.h"
fi
{
    echo 'typedef int (*t0)(int);'
    for i in $(seq 1 40); do echo "typedef t$((i - 1)) (*t$i)(t$((i - 1)), t$((i - 1)));"; done
    echo 'int work(t40 n);'
} > "$dir/spells.h"
stopped "a type of 2^40 words" "spells.h: error: clang has not read it in the 1 s of computing" \
    env PROXYGEN_CPU_S=1 "$proxygen" --interpose --functions work "$dir/spells.h"
# Sanitizers have no limit of memory.
case ${SOAK:+soak}-$BUILD in
soak-release | soak-debug)
    printf '#include "/dev/zero"\nint work(int n);\n' > "$dir/endless.h"
    stopped "memory" "endless.h" "$proxygen" --interpose --functions work "$dir/endless.h" ;;
esac

# --- Compilers that do not end, or are ended --------------------------------------------------------
cat > "$dir/slow" <<'END'
#!/bin/sh
[ -n "$DEAF" ] && trap '' TERM
for word; do case $word in *.so) echo half > "$word" ;; esac; done
sleep 1000 &
echo $! > "$PLACE/child"
wait
sleep 1000
END
chmod +x "$dir/slow"
export PLACE=$dir
# gone: what the compiler had started is not there any more, or only as a name.
gone() {
    local i
    for i in $(seq 100); do
        grep -qs '^State:[[:space:]]*[^Z]' "/proc/$(cat "$dir/child")/status" || return 0
        sleep 0.05
    done
    fail "$1: a child survives"
    kill -9 "$(cat "$dir/child")"
}
for deaf in '' yes; do
    rm -f "$dir/child"
    stopped "a compiler without end" "slow has not compiled the generated code in 1 s" env DEAF=$deaf CC="$dir/slow" \
        PROXYGEN_COMPILE_S=1 "$proxygen" --interpose --functions work --sidecar "$dir/plain.perf" "$dir/plain.h"
    gone "a compiler without end"
done
for signal in INT TERM HUP; do
    rm -rf "$dir/child" "$dir/out"
    DEAF= CC="$dir/slow" env --default-signal=INT,TERM,HUP "$proxygen" --interpose --functions work --sidecar "$dir/plain.perf" \
        -o "$dir/out" "$dir/plain.h" 2> "$dir/err" &
    for i in $(seq 600); do
        [ -s "$dir/child" ] && break
        sleep 0.05
    done
    [ -n "$(ls -A "$dir/out" | grep '^\..*\.so$')" ] || fail "$signal: came before the compiler was at work"
    kill -$signal $!
    wait $! 2> /dev/null
    [ $? = $((128 + $(kill -l $signal))) ] || fail "$signal: exit $?"
    [ "$(ls -A "$dir/out")" = plain_interpose.c ] || fail "$signal: left $(ls -A "$dir/out")"
    gone $signal
done

# --- Ended in the midst of anything: files are whole or not there ------------------------------------
"$proxygen" -I . -o "$dir/whole" ports/flux_port.h || fail "flux_port"
rounds=${FAULT_ENDS:-${SOAK:+50}}
for i in $(seq "${rounds:-5}"); do
    rm -rf "$dir/out"
    "$proxygen" -I . -o "$dir/out" ports/flux_port.h 2> /dev/null &
    sleep "0.0$((RANDOM % 10))$((RANDOM % 10))"
    kill -TERM $! 2> /dev/null
    wait $! 2> /dev/null
    case "$(ls -A "$dir/out" 2> /dev/null)" in
    "") ;;
    flux_port_proxy.c) cmp -s "$dir/whole/flux_port_proxy.c" "$dir/out/flux_port_proxy.c" || fail "a part of a file" ;;
    *) fail "left $(ls -A "$dir/out")" ;;
    esac
done
# A process that is killed needs a moment to be gone. grep must not find itself.
echo "$dir/out" > "$dir/words"
for i in $(seq 100); do
    still=$(grep -lsFf "$dir/words" /proc/[0-9]*/cmdline)
    [ -n "$still" ] || break
    sleep 0.05
done
[ -z "$still" ] || fail "somebody is still at work: $still"

finish
