#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# `swap`: a class is exchanged while eight threads call it, and no call is lost; a failure of each step leaves the class
# before connected, and the run goes on.
. "$(dirname "$0")/../lib/lib.sh"
. "$root/tests/data/swap/make.sh"
tallies TallyA TallyB BadCreate:BAD_CREATE BadWiring:BAD_WIRING BadGive:BAD_GIVE BadTake:BAD_TAKE \
    BadAgain:BAD_AGAIN \
    'Other:LAYOUT="pair/1"' NoAdd:NO_ADD NoState:NO_STATE

# --- Under load: proxies that measure, that do not, and without a compiler ---------------------------
load="parameter loader config classes TallyB,TallyA"
script "$load" 'parameter loader config steps 60' 'swap tally' 'go loader go'
run 0 ccafe swap.rc
equal 'under load' '60 swaps in 60 steps, 0 calls lost' "$(cat out)"
script "$load" 'parameter loader config steps 12' 'swap tally' 'go loader go' 'go loader go'
run 0 ccafe --measure --experiment load.mm swap.rc
equal 'under load, measured' '12 swaps in 12 steps, 0 calls lost' "$(sort -u out)"
run 0 mastermind report load.mm
grep -q 'tally_TallyB.tally.add' out || fail 'no rows of the new class'
[ "$(grep -c '^step [0-9]*: tally is Tally[AB] instead of Tally[AB] (in .*); reason: in turn$' out)" = 24 ] ||
    fail "the swaps of the report: $(cat out)"
run 0 mastermind report load.mm --json
fits report out
# A request for the class that is there is no swap, and leaves the script's swap alone: B at step 2, A at 3.
script 'parameter loader config classes TallyA' 'parameter loader config steps 3' 'swap tally TallyB at 2' 'go loader go'
run 0 ccafe swap.rc
equal 'script and requests' '2 swaps in 3 steps, 0 calls lost' "$(cat out)"
script 'parameter loader config steps 3' 'swap tally BadTake at 2' 'go loader go'
run 0 ccafe --measure --experiment bad.mm swap.rc
run 0 mastermind report bad.mm
grep -q "^step 2: tally stays TallyA, no BadTake: 'tally_BadTake' takes no state: 8 bytes are not enough (take .*the script's command$" out ||
    fail "the failed swap of the report: $(cat out)"
script "$load" 'parameter loader config steps 12' 'swap tally' 'go loader go' 'go loader go'
mv tally_port_proxy.so kept
proxygen -I "$root" --describe -o . "$root/tests/data/swap/tally_port.h" || fail 'no description'
run 0 ccafe swap.rc
equal 'under load, through FfiProxy' '12 swaps in 12 steps, 0 calls lost' "$(sort -u out)"
rm ./*.describe.json
mv kept tally_port_proxy.so

# --- Each step fails: the class before stays, and every call arrives -------------------------------------
stays() { # stays CLASS TEXT [LINE...]: at step 2 of 3, and between two go
    local class=$1 text=$2
    shift 2
    script 'parameter loader config steps 3' "$@" "swap tally $class at 2" 'go loader go'
    run 0 ccafe swap.rc
    equal "calls with $class" '0 swaps in 3 steps, 0 calls lost' "$(cat out)"
    grep -qF "swap.rc:$(wc -l <swap.rc): 'tally' stays TallyA, no $class: $text" err || fail "$class: $(cat err)"
}
stays BadCreate "class 'BadCreate' makes no instance 'tally_BadCreate': no room"
stays BadWiring "set_services of 'tally_BadWiring' (class 'BadWiring'): no wiring"
stays BadTake "'tally_BadTake' takes no state: 8 bytes are not enough"
stays Other "class 'TallyA' has its state as 'sum/1', class 'Other' as 'pair/1'"
stays NoAdd 'class NoAdd has no add'
stays TallyB '1 thread is still in a call of test.TallyPort/1 after 1 s' 'parameter loader config stuck true'
script 'parameter loader config steps 3' 'swap tally BadGive at 1' 'go loader go' 'swap tally TallyB' 'go loader go'
run 0 ccafe swap.rc
equal 'a class that gives nothing' '1 swaps in 3 steps, 0 calls lost
0 swaps in 3 steps, 0 calls lost' "$(cat out)"
equal 'it stays' "swap.rc:8: 'tally' stays BadGive, no TallyB: 'tally_BadGive' gives no state: the state of $(
    sed -n "s/.*the state of \([0-9]*\) is.*/\1/p" err) is kept back" "$(cat err)"

# --- Mistakes ---------------------------------------------------------------------------------------------------------
wrong() { # wrong TEXT LINE: found by `check`, too
    script "$2"
    expect 3 "$1" ccafe swap.rc
    expect 3 "$1" ccafe check swap.rc
}
wrong "class 'NoState' declares neither that calls of its port 'tally' are independent (CCA_PORT_INDEPENDENT) nor a port cca.HandoverPort/1 for its state" 'swap tally NoState'
wrong "no class 'TallyC' on the path" 'swap tally TallyC'
wrong "class 'Loader' provides no port of type test.TallyPort/1" 'swap tally Loader'
wrong "found 'after', expected 'at STEP' or the end of the line" 'swap tally TallyB after 3'
wrong "found '0', expected a number of steps from 1 on" 'swap tally TallyB at 0'
wrong "no instance 'tell'" 'swap tell TallyB'

# --- Life: back, removal, ejection, requests without the command --------------------------------------------------------------
script 'parameter loader config steps 0' 'swap tally TallyB' 'go loader go' 'swap tally TallyA' 'go loader go' \
    'swap tally TallyB' 'go loader go' 'display arena' 'remove tally' 'display arena'
run 0 ccafe swap.rc
equal 'to and fro' 3 "$(grep -c '^0 swaps in 0 steps, 0 calls lost' out)"
grep -q 'Tally[BA]_\|_Tally[BA]' out && fail 'a rival was left'
# An instance that has failed to take a state is not used again: the third swap to its class makes another one.
script 'parameter loader config threads 0' 'swap tally BadAgain' 'swap tally TallyA' 'swap tally BadAgain' \
    'swap tally BadAgain' 'go loader go' 'remove tally'
run 0 ccafe --measure --experiment again.mm swap.rc
equal 'a state not taken' "swap.rc:8: 'tally' stays TallyA, no BadAgain: 'tally_BadAgain' takes no state: taken before" \
    "$(grep tally err)"
run 0 mastermind report again.mm
grep -q 'tally_BadAgain_*[0-9]*.tally.add' out || fail "no calls of the other instance: $(cat out)"
script 'swap tally' 'eject tally tally'
expect 3 "the class of 'tally' can be swapped by its proxies" ccafe swap.rc
script 'parameter loader config classes TallyB' 'go loader go'
run 0 ccafe swap.rc
equal 'no slot' "no request: the script has no command 'swap tally': its calls are not counted
0 swaps in 1 steps, 0 calls lost" "$(cat out)"
finish
