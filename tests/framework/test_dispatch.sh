#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Rules that choose a class in each call: examples/dispatch, whose calls are counted by a program of another language;
# rules by `choose --dispatch`; mistakes in rules; removal.
. "$(dirname "$0")/../lib/lib.sh"

cp "$root"/examples/dispatch/* .
run 0 make -s "CC=$CC"
sed -i 's/^go /parameter driver config calls 300\n&/' sort.rc ruled.rc

# --- Each call goes to the class of the first rule that holds ---------------------------------------
cat >sort.dispatch <<'END'
# found by hand
dispatch example.SortPort/1

sort: RadixSort when n > 700 and n <= 2000   # between
sort: MergeSort when n < 520
sort: RadixSort when n = 525
END
run 0 ccafe -D SORT=MergeSort sort.rc
plain=$(grep 'arrays sorted' out)
run 0 ccafe ruled.rc
equal 'the output with rules' "$plain" "$(grep 'arrays sorted' out)"
[ ! -e ruled.mm ] || fail 'an experiment without --measure'
run 0 ccafe --measure --experiment ruled.mm ruled.rc
equal 'the measured output with rules' "$plain" "$(grep 'arrays sorted' out)"
python3 - >counts <<'END'
state = 1
def draw():
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
    return state >> 32
radix = 0
for call in range(300):
    u = draw() / 2**32
    n = int(500 * (100000 / 500) ** (u * u * u))
    for i in range(n):
        draw()
    radix += 700 < n <= 2000 or n == 525
print(300 - radix, radix)
END
run 0 mastermind report ruled.mm --json
equal 'calls of both classes' "$(cat counts)" "$(python3 - <<'END'
import json
rows = {m["name"]: m["calls"] for m in json.load(open("out"))["methods"]}
print(rows["sort.sort.sort"], rows["sort_RadixSort.sort.sort"])
END
)"

# --- Rules from two measured runs ---------------------------------------------------------------------
rules_hold() {
    rm -rf made.dispatch MergeSort.mm RadixSort.mm
    for class in MergeSort RadixSort; do
        run 0 ccafe -D SORT=$class --measure --experiment $class.mm sort.rc
    done
    run 0 mastermind choose MergeSort.mm RadixSort.mm --dispatch made.dispatch
    # merging is best for small arrays and two passes for large ones, wherever the cores are
    [ ! -e made.dispatch ] || sed -n '/^sort:/{s/ *#.*//;p}' made.dispatch | tr '\n' ';' |
        grep -qE '^sort: MergeSort when n <= [0-9]+;(sort: .*;)?sort: RadixSort;$' ||
        fail "other rules: $(cat made.dispatch)"
}
at_best rules_hold
[ -e made.dispatch ] || finish
run 0 mastermind choose MergeSort.mm RadixSort.mm --dispatch made.dispatch --force --json
fits choose-dispatch out
expect 2 'made.dispatch exists; --force writes it anew' \
    mastermind choose MergeSort.mm RadixSort.mm --dispatch made.dispatch
expect 2 '--quiet with --dispatch' mastermind choose MergeSort.mm RadixSort.mm --dispatch f --quiet
expect 1 'no rules: no port of the first run has models of several classes' \
    mastermind choose MergeSort.mm --dispatch f
expect 1 'no rules: no other class of the runs has the port of driver' \
    mastermind choose MergeSort.mm RadixSort.mm --slot driver --dispatch f
cp made.dispatch sort.dispatch
run 0 ccafe ruled.rc
equal 'the output with these rules' "$plain" "$(grep 'arrays sorted' out)"
run 0 ccafe check ruled.rc

# --- Mistakes: the file, the line, what was found and what was expected ------------------------------------
wrong() { # wrong STATUS WORDS LINE...
    local status=$1 words=$2
    shift 2
    printf '%s\n' "$@" >sort.dispatch
    expect "$status" "$words" ccafe ruled.rc
}
type='dispatch example.SortPort/1'
wrong 3 "sort.dispatch:1: found 'sort:', expected 'dispatch PORT_TYPE' in the first line" 'sort: RadixSort'
wrong 3 "sort.dispatch: found no rules, expected 'dispatch PORT_TYPE'" ''
wrong 3 "sort.dispatch has rules for shock.FluxPort/1; 'sort' of 'sort' is example.SortPort/1" 'dispatch shock.FluxPort/1'
wrong 3 "sort.dispatch:2: found 'sort', expected 'METHOD: CLASS [when CONDITION and ...]'" "$type" 'sort RadixSort'
wrong 3 "sort.dispatch:2: found the end of the line, expected a class" "$type" 'sort:'
wrong 3 "sort.dispatch:2: found 'if', expected 'when' or the end of the line" "$type" 'sort: RadixSort if n > 1'
wrong 3 "sort.dispatch:2: found 'or', expected 'and' or the end of the line" "$type" 'sort: RadixSort when n > 1 or n < 0'
wrong 3 "sort.dispatch:2: found '=>', expected =, !=, <, <=, > or >=" "$type" 'sort: RadixSort when n => 1'
wrong 3 "sort.dispatch:2: found the end of the line, expected a number or a label" "$type" 'sort: RadixSort when n >='
wrong 3 "sort.dispatch:3: found 'm', expected an in-value of sort, such as n" "$type" '' 'sort: RadixSort when m > 1'
wrong 3 "sort.dispatch:2: found 'many', expected a number for n" "$type" 'sort: RadixSort when n > many'
wrong 3 "sort.dispatch:2: found 'find', expected a method of example.SortPort/1" "$type" 'find: RadixSort'
wrong 3 "no class 'QuickSort' on the path" "$type" 'sort: QuickSort'
wrong 3 "class 'SortDriver' provides no port of type example.SortPort/1" "$type" 'sort: SortDriver'
wrong 3 "sort.dispatch:2: found 'much', expected a share of the time, such as 1 %" "$type" 'learn much'
wrong 3 "sort.dispatch:2: found the end of the line, expected %" "$type" 'learn 1'
wrong 3 "sort.dispatch:2: found 'more', expected the end of the line" "$type" 'learn 1 % more'
wrong 3 "sort.dispatch:2: found 'cost', expected a rule above it" "$type" 'cost RadixSort 1 us +- 5 %'
rule='sort: RadixSort'
wrong 3 "sort.dispatch:3: found 'h', expected ns, us, ms or s" "$type" "$rule" 'cost RadixSort 1 h'
wrong 3 "sort.dispatch:3: found '-1', expected a time, such as 2.5 us" "$type" "$rule" 'cost RadixSort -1 us'
wrong 3 "sort.dispatch:3: found '5', expected +-" "$type" "$rule" 'cost RadixSort 1 us 5 %'
wrong 3 "sort.dispatch:3: found 'for', expected 'at' or the end of the line" "$type" "$rule" \
    'cost RadixSort 1 us +- 5 % for n'
wrong 3 "sort.dispatch:3: found '^', expected 'power'" "$type" "$rule" 'cost RadixSort 1 us +- 5 % at n 9 ^ 2'
wrong 3 "sort.dispatch:4: found 'm', expected a parameter of sort" "$type" 'learn 1 %' "$rule" \
    'cost RadixSort 1 us +- 5 % at m 9 power 2'

# --- Rules that learn: RadixSort is dear for small arrays -------------------------------------------------
printf '%s\n' "$type" 'learn 1 %' "$rule" '  cost RadixSort 20 us +- 5 % at n 520 power 1' \
    '  cost MergeSort 23 us +- 50 % at n 520 power 1' >sort.dispatch
sed 's/^go /parameter driver config largest 600\n&/' ruled.rc >small.rc
learns() {
    run 0 ccafe small.rc
    [ "$(wc -l <err)" -eq 1 ] &&
        grep -qE '^sort.dispatch:3: MergeSort in place of RadixSort from call [0-9]+ on: ' err || fail "no change: $(cat err)"
}
at_best learns
sum=$(grep 'arrays sorted' out)
sed '/^dispatch/d' small.rc >plain.rc
run 0 ccafe plain.rc
equal 'the output of a run that learns' "$(grep 'arrays sorted' out)" "$sum"
rm sort.dispatch
expect 3 'sort.dispatch: No such file or directory' ccafe ruled.rc
mkdir sort.dispatch
expect 3 'sort.dispatch: not a file' ccafe ruled.rc
rmdir sort.dispatch
expect 3 'sort.dispatch: No such file or directory' ccafe check ruled.rc
printf '%s\n' "$type" 'sort: QuickSort' >sort.dispatch
expect 3 "no class 'QuickSort' on the path" ccafe check ruled.rc

# A class that does not declare independent calls is refused, on either side.
printf '%s\n' "$type" 'sort: RadixSort' >sort.dispatch
sed '/CCA_INDEPENDENT/d' radix_sort.c >kept.c
sed '/CCA_INDEPENDENT/d' merge_sort.c >kept2.c
mkdir kept kept2
cp MergeSort.so SortDriver.so sort_port_proxy.so kept
cp RadixSort.so SortDriver.so sort_port_proxy.so kept2
# shellcheck disable=SC2046
"$CC" -O2 -shared -I. $(ccafe cflags) kept.c -o kept/RadixSort.so &&
    "$CC" -O2 -shared -I. $(ccafe cflags) kept2.c -o kept2/MergeSort.so || fail 'no compilation'
for folder in kept kept2; do
    sed "s/prepend ./set $folder/" ruled.rc >kept.rc
    expect 3 'independent (CCA_PORT_INDEPENDENT)' ccafe kept.rc
done

# --- Life: twice, removal, ejection, new rules, after an insert --------------------------------------------
script() {
    { printf '%s\n' 'path prepend .' 'instantiate MergeSort sort' 'instantiate SortDriver driver' \
        'connect driver sort sort sort' 'parameter driver config calls 20' && printf '%s\n' "$@"; } >life.rc
}
script 'dispatch sort sort sort.dispatch' 'dispatch sort sort sort.dispatch'
expect 3 "'sort' of 'sort' has rules already, of sort.dispatch" ccafe life.rc
script 'dispatch sort sort sort.dispatch' 'go driver go' 'go driver go' 'eject sort sort' 'go driver go' \
    'dispatch sort sort sort.dispatch' 'go driver go' 'remove sort' 'display arena'
run 0 ccafe life.rc
equal 'four runs' 4 "$(grep -c '^20 arrays sorted, sum' out)"
equal 'one sum' 1 "$(grep '^20 arrays sorted' out | sort -u | wc -l)"
grep -q Radix out && fail 'a rival was left'
# Rules and a swap exclude each other.
script 'swap sort RadixSort' 'dispatch sort sort sort.dispatch'
expect 3 "'sort' is RadixSort since a swap; rules and shadow calls need its own class MergeSort" ccafe life.rc
script 'dispatch sort sort sort.dispatch' 'swap sort RadixSort'
expect 3 "'sort' of 'sort' has rules, and they need its class MergeSort" ccafe life.rc
expect 3 "'sort' of 'sort' has rules, and they need its class MergeSort" ccafe check life.rc
script 'swap sort RadixSort' 'swap sort MergeSort' 'dispatch sort sort sort.dispatch' 'go driver go'
run 0 ccafe life.rc
script 'insert sort sort' 'dispatch sort sort sort.dispatch' 'go driver go' 'nuke all'
run 0 ccafe --experiment inserted.mm life.rc
run 0 mastermind report inserted.mm
grep -q ' 20 .* sort_RadixSort.sort.sort' out || fail 'calls after insert'
finish
