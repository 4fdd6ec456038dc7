#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Faults of models end with element and process, exit 4, compiled and interpreted alike; the cache of compiled models.
. "$(dirname "$0")/../lib/lib.sh"

export XDG_CACHE_HOME=$dir/cache
sample=$root/examples/activity/sample.act

# fault MESSAGE: line 4 of a model, from standard input, is at fault in process 1 of 2
fault() {
    { printf 'model m\nglobal long z\nglobal double n = 0.0 - 1\nactivity Main { code { z = 1 - pid; }\n'; cat; echo '}'; } >m.act
    run 4 activity run m.act --config N2P2 --deadline 1 --interpret
    echo "activity: m.act:$1" | cmp - err || fail "interpreted: $1"
    run 4 activity run m.act --config N2P2 --deadline 1
    echo "activity: m.act:$1" | cmp - err || fail "compiled: $1"
}
cost='expected a finite one of at least 0 (A, process 1)'
fault '5:16: a division by zero (A, process 1)' <<<'action A cost 1/z'
fault '5:18: a division by zero (A, process 1)' <<<'action A cost 1.0/z'
fault '5:16: a division by zero (A, process 1)' <<<'action A cost 1%z'
fault '5:16: a division by zero (process 1)' <<<'if pid > 0 && 4/z { }'
fault "5:1: found the cost -1, $cost" <<<'action A cost z - 1'
fault "5:1: found the cost nan, $cost" <<<'action A cost pid ? exp(800) - exp(800) : 0.0'
fault "5:1: found the cost inf, $cost" <<<'action A cost exp(800*pid)'
fault "5:1: found the cost inf, ${cost/A/R}" <<<'allreduce R cost exp(800*pid)'
fault '5:1: found -8 bytes of memory, expected a finite number of at least 0 (A, process 1)' <<<'action A cost 1 memory 8*(z - pid)'
fault '5:1: found -3 bytes, expected at least 0 (S, process 1)' <<<'isend S to 0 bytes 3*(z - pid)'
fault '5:10: found a send to process 2, expected 0 to 1 (S, process 1)' <<<'if pid { send S to 2 }'
fault '5:1: found root process -1, expected 0 to 1 (B, process 1)' <<<'bcast B root 0 - pid'
fault '5:1: found 0 threads, expected 1 to 1000000 (W, process 1)' <<<'parallel W threads z { }'
fault '5:44: a long that does not fit 64 bits (A, process 1)' <<<'action A cost 1 + (9223372036854775806 - z + 2*pid)'
fault '5:46: a long that does not fit 64 bits (A, process 1)' <<<'action A cost max(0, 0 - 9223372036854775807 - 2*pid)'
fault '5:19: a division by zero (A, process 1)' <<<'action A cost 0*(1/z)'
fault '5:39: a long that does not fit 64 bits (A, process 1)' <<<'action A cost 1 + (4611686018427387904*(1 + pid))'
fault '5:19: a double that is no long (A, process 1)' <<<'action A cost 1 + floor(1e300*pid)'
fault '5:19: a root of a negative number (A, process 1)' <<<'action A cost 1 + sqrt(0.0 - pid)'
fault '5:19: a logarithm of no positive number (A, process 1)' <<<'action A cost 1 + log(1.0 - pid)'

# --- Without an end: with events, in the time given; without any
printf 'model m\nactivity Main {\n  if pid == 1 {\n    while pid { action A cost 0 }\n  }\n}\n' >m.act
for how in '' --interpret; do
    # shellcheck disable=SC2086
    run 4 activity run m.act --config N2P2 --deadline 0.3 $how
    grep -qxE 'activity: m.act:4:17: found no end after [0-9]+ events: it took too long \(A, process 1\)' err ||
        fail "an endless loop $how"
done
if [ -n "${SOAK-}" ]; then # 2 s; test_act_interpret has it without a compiler
    sed -i 's/action A cost 0/code { c = c + 1; c = c - 1; }/; 1a global long c' m.act
    run 4 activity run m.act --config N2P2
    complains 'activity: m.act:5:5: found no end after 200,000,000 steps without an event (process 1)'
fi

# --- The cache: one file a model, also when many make it at once
run 0 activity run "$sample" --config N8P32 --interpret --elements
sed 's/ *evaluated in.*//' out >interpreted
same() {
    sed 's/ *evaluated in.*//' out | cmp - interpreted || fail "$1: not as interpreted"
    quiet
}
count() { find "$1" "${@:2}" | wc -l; }
rm -rf cache
for i in 1 2 3 4; do
    activity run "$sample" --config N8P32 --elements >"out$i" 2>"err$i" &
done
wait
for i in 1 2 3 4; do
    mv "out$i" out && mv "err$i" err
    same "one of four at once"
done
equal 'files of the cache' 1 "$(count cache/mastermind/activity -type f)"
equal 'folders in the cache' 0 "$(count cache/mastermind/activity -mindepth 1 -type d)"

# --- One that is used is not made again; one that is cut off or is no object is
object=$(echo cache/mastermind/activity/*.so)
made=$(stat -c %i "$object")
run 0 activity run "$sample" --config N8P32 --elements
same 'from the cache'
equal 'the file' "$made" "$(stat -c %i "$object")"
for size in 0 10 4096 $(($(stat -c %s "$object") - 1)); do
    truncate -s "$size" "$object"
    run 0 activity run "$sample" --config N8P32 --elements
    same "$size bytes in the cache"
done
key=$(basename "$object" .so)
printf 'no object%s' "$key" >"$object"
run 0 activity run "$sample" --config N8P32 --elements
same 'no object in the cache'
[ "$(stat -c %s "$object")" -gt 4096 ] || fail 'it was not made again'

# --- A cache that cannot be written, or is none: a folder that goes; no home
export TMPDIR=$dir/tmp
mkdir tmp
chmod 500 cache/mastermind/activity
rm -f "$object"
run 0 activity run "$sample" --config N8P32 --elements
same 'a cache that cannot be written'
chmod 700 cache/mastermind/activity
echo >file
run 0 env XDG_CACHE_HOME="$dir/file" activity run "$sample" --config N8P32 --elements
same 'a file as cache'
mkdir -p other/mastermind
echo >other/mastermind/activity
run 0 env XDG_CACHE_HOME="$dir/other" activity run "$sample" --config N8P32 --elements
same 'a file in the place of the folder'
run 0 env -u XDG_CACHE_HOME -u HOME activity run "$sample" --config N8P32 --elements
same 'no home'
equal 'left in the temporary folder' 0 "$(count tmp -mindepth 1)"

# --- No compiler, or one that fails: interpreted, told once
told() {
    sed 's/ *evaluated in.*//' out | cmp - interpreted || fail "$1: not as interpreted"
    equal "$1: lines that tell it" 1 "$(grep -c 'the model is interpreted' err)"
}
program=$(command -v activity)
rm -rf cache
run 0 env PATH="$dir" CC=/none/cc "$program" run "$sample" --config N8P32 --elements
told 'no compiler'
complains 'activity: no C compiler (CC, cc, gcc, clang): the model is interpreted'
run 0 env CC=false activity run "$sample" --config N8P32 --elements
told 'a compiler that fails'
run 0 env PATH="$dir" CC= "$program" run "$sample" --config N1P1,N1P4
equal 'told once of two configurations' 1 "$(grep -c 'the model is interpreted' err)"

# --- Another compiler
if command -v clang >/dev/null; then
    mkdir links # by way of ccache, say: another file of this name
    printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v clang)" >links/other
    chmod +x links/other
    ln -s other links/clang
    run 0 env CC="$dir/links/clang" activity run "$sample" --config N8P32 --elements
    same 'with a link that clang is'
    run 0 env CC=clang activity run "$sample" --config N8P32 --elements
    same 'with clang'
    printf 'model m\nglobal long z\nactivity Main {\naction A cost 1/z\n}\n' >m.act
    run 4 env CC=clang activity run m.act
    complains 'activity: m.act:4:16: a division by zero (A, process 0)'
fi
finish
