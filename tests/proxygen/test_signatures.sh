#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Random signatures of C: each argument and each result arrives byte for byte through proxies of
# ports, made with and without a compiler, through tables and through interposed functions, and each
# call has its row. 60 of them; SOAK makes 10,000, 200 a time.
. "$(dirname "$0")/../lib/lib.sh"
compile_quickly
count=${SOAK:+200}
count=${count:-60}
strict="-std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Wno-psabi -fPIC -fexceptions -I$root -I."
link="-L$O/lib -lcca -Wl,-rpath,$O/lib"

# rows EXPERIMENT LETTER CALLER: each of the calls has one row, whose parameter is its own number.
rows() {
    mastermind records "$1" > rows.csv || fail "seed $seed: $1"
    python3 - rows.csv "$2" $count << 'END' || fail "seed $seed: rows of $1"
import csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["method"] != "go"]
found = sorted((int(r["method"][1:]), int(r["p.n"]), r["status"]) for r in rows)
assert all(r["method"][0] == sys.argv[2] for r in rows), rows[0]
assert found == [(i, i, "done") for i in range(int(sys.argv[3]))], found[:5]
END
}

# How the header is taken by those who include it
header() {
    for compiler in "gcc -std=c11" "clang -std=c11" "g++ -x c++ -std=c++17" "clang++ -x c++ -std=c++17"; do
        # shellcheck disable=SC2086
        $compiler -Wall -Wextra -Werror -Wno-psabi -fsyntax-only signatures.h || fail "seed $seed: $compiler"
    done
}

# measured CLASS EXPERIMENT: the component called through a proxy of that class, which is on the path.
measured() {
    timeout 60 ccafe --path "$1" --path components --measure --experiment "$2" run.rc > said 2>&1 ||
        { fail "seed $seed: $1: $(cat said)"; return; }
    grep -q 'with other bytes by this version of libffi' said && return # and nothing was lost
    grep -q 'not measured' said && fail "seed $seed: $1: $(cat said)"
    rows "$2" m
}

components() {
    mkdir -p components
    for class in target caller; do
        # shellcheck disable=SC2086
        $CC $strict -fvisibility=hidden -shared -o components/$class.so $class.c $link || fail "seed $seed: $class"
    done
    printf '%s\n' 'instantiate Target t' 'instantiate Caller c' 'connect c s t s' 'go c go' > run.rc
}

generated() {
    proxygen -I . -I "$root" --sidecar port.perf -o proxies signatures_port.h 2> said || fail "seed $seed: $(cat said)"
    for compiler in $other $CC; do
        # shellcheck disable=SC2086
        $compiler $strict -fvisibility=hidden -shared -o proxies/signatures_port_proxy.so proxies/signatures_port_proxy.c $link ||
            fail "seed $seed: the proxy, $compiler"
    done
    measured proxies generated.mm
}

described() {
    proxygen -I . -I "$root" --sidecar port.perf --describe -o documents signatures_port.h 2> said || fail "seed $seed: $(cat said)"
    measured documents described.mm
}

table() {
    proxygen --table many --sidecar tables.perf signatures.h 2> said || fail "seed $seed: $(cat said)"
    # shellcheck disable=SC2086
    $CC $strict -o table_calls table_calls.c signatures_tables.c || fail "seed $seed: the table"
    timeout 60 ./table_calls || fail "seed $seed: the table alone: status $?"
    can_preload || return
    timeout 60 mastermind record -o table.mm -- ./table_calls 2> said || fail "seed $seed: the table: $(cat said)"
    rows table.mm m
}

interposed() {
    can_preload || return
    # shellcheck disable=SC2086
    $CC $strict -shared -o libsignatures.so signatures.c &&
        $CC $strict -o calls calls.c -L. -lsignatures -Wl,-rpath,. || fail "seed $seed: the program"
    proxygen --interpose signatures.h --functions 'f[0-9]*' --sidecar signatures.perf -o proxy 2> said || fail "seed $seed: $(cat said)"
    # shellcheck disable=SC2086
    $other $strict -c -o object.o proxy/signatures_interpose.c || fail "seed $seed: the interposer, $other"
    timeout 60 mastermind record --proxy proxy -o calls.mm -- ./calls 2> said || fail "seed $seed: interposed: $(cat said)"
    rows calls.mm f
}

rounds=${FAULT_SEEDS:-${SOAK:+50}}
for seed in $(seq 1 "${rounds:-1}"); do
    # Compilers differ in how some types are passed: all is made by one, for others it compiles.
    case $((seed % 2)) in 1) export CC=gcc other=clang ;; *) export CC=clang other=gcc ;; esac
    for kinds in all plain; do
        mkdir "$dir/$seed$kinds" && cd "$dir/$seed$kinds" || exit 1
        python3 "$root/tests/data/signatures/make.py" "$seed" $count $kinds || exit 1
        header
        components
        if [ $kinds = all ]; then
            generated
            table
            interposed
        else
            described
        fi
        cd "$dir" && rm -rf "$dir/$seed$kinds"
        [ $failures = 0 ] || finish
    done
done
echo "$seed times $count signatures, and as many for libffi"
finish
