#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# mastermind balance with policies, partitioners and costs of the user's own: the same numbers as those of the tree where
# they do the same; one that dies, fails or answers nonsense is named.
. "$(dirname "$0")/../lib/lib.sh"
python3 - <<'END'
import random
random.seed(5)
print("step,i,j,value", file=(f := open("field.csv", "w")))
for s in range(20):
    for i in range(12):
        for j in range(10):
            print(f"{s},{i},{j},{1 + 9 * (abs(i - s % 12) < 2) + random.randrange(3)}", file=f)
END
run 0 mastermind import cells field.csv --shape 12,10 -o field.mm

# plugin NAME: the C text of the functions is standard input; a library NAME.so
plugin() {
    { echo '#include "mesh_balance_plugin.h"'; echo '#include <math.h>'; echo '#include <stdlib.h>'; echo '#include <string.h>'; cat; } >"$1.c"
    run 0 "$CC" -shared -fPIC -Wall -Wextra -Werror -I "$root/mesh/plugin" -o "$1.so" "$1.c"
}
# entry FIELDS: the object that such a library exports
entry() { echo "const struct mesh_balance_plugin mesh_balance_plugin = {.abi = MESH_BALANCE_ABI, .size = sizeof(struct mesh_balance_plugin), $1};"; }

echo '#include "mesh_balance_plugin.h"' >header.cc
run 0 "$CXX" -Wall -Wextra -Wpedantic -Werror -I "$root/mesh/plugin" -fsyntax-only header.cc

# --- a policy, a cost and a partitioner that do what ones of the tree do --------------------------------
plugin good <<END
static int every;
static double price, each_cell;
static int begin(const struct mesh_balance_mesh *mesh, const char *argument)
{
    every = atoi(argument);
    price = atof(argument);
    each_cell = strchr(argument, '+') ? atof(strchr(argument, '+') + 1) : 0;
    return mesh->parts != 4 || mesh->n[0] != 12 || mesh->n[1] != 10 || mesh->steps != 20 || mesh->centres != NULL;
}
static int policy(const struct mesh_balance_seen *seen)
{
    if (seen->past_count < 1 || seen->past[0] != seen->fresh || seen->remaining != 20 - seen->step)
        return -1;
    return seen->step % every == 0;
}
static double cost(const struct mesh_balance_move *move) { return price + each_cell * (double)move->moved; }
/* Cells in their order, each part 30 of them. */
static int partition(const struct mesh_balance_mesh *mesh, const float *weights, const int32_t *before, int32_t *owner)
{
    for (int c = 0; c < 120; c++)
        owner[c] = before ? before[c] : c / 30;
    return mesh->parts != 4 || !(weights[0] >= 1);
}
$(entry '.begin = begin, .policy = policy, .cost = cost, .partition = partition')
END
run 0 mastermind balance field.mm --parts 4 --price 40 --move .5 --policy ./good.so:3,fixed:3,oracle,expect --json
cp out mine
fits balance out
run 0 mastermind balance field.mm --parts 4 --price ./good.so:40+.5 --policy fixed:3,fixed:3,oracle,expect --json
fits balance out
python3 - <<'END' || fail "other numbers: $(cat mine)"
import json
a, b = json.load(open("mine")), json.load(open("out"))
def numbers(p):
    return {k: v for k, v in p.items() if k != "policy"}
p = a["policies"]
assert p[0]["policy"] == "./good.so:3" and numbers(p[0]) == numbers(p[1]) and p[0]["repartitions"] == [3, 6, 9, 12, 15, 18]
assert [numbers(x) for x in p] == [numbers(x) for x in b["policies"]]
assert b["price_by"] == "./good.so:40+.5" and "price" not in b and a["price"] == 40
END
run 0 mastermind balance field.mm --parts 4 --lag 1 --price ./good.so:40+.5 --policy expect,oracle --json
cp out mine
run 0 mastermind balance field.mm --parts 4 --lag 1 --price 40 --move .5 --policy expect,oracle --json
python3 -c 'import json; a, b = (json.load(open(f))["policies"] for f in ("mine", "out")); assert a == b, (a, b)' || fail "lag 1: other numbers"
run 0 mastermind balance field.mm --parts 4 --partitioner ./good.so:1 --policy each --schedule best.json
holds out "4 parts by ./good.so:1"
python3 -c 'import json; d = json.load(open("best.json")); assert all(s["runs"] == [[p, 30] for p in range(4)] for s in d["steps"]) and len(d["steps"]) == 20' ||
    fail "other partitions"

# --- wrong ones ----------------------------------------------------------------------------------------
# refused STATUS WORDS OPTIONS...: the verb ends so, with one line that holds the words
refused() {
    local status=$1 words=$2
    shift 2
    run "$status" mastermind balance field.mm --parts 4 "$@"
    holds err "$words"
    [ "$(wc -l <err)" = 1 ] && [ ! -s out ] || fail "$*: not one line"
}
plugin wrong <<END
static const char *what;
static int begin(const struct mesh_balance_mesh *mesh, const char *argument)
{
    (void)mesh;
    what = argument;
    return strcmp(argument, "begin") == 0;
}
static int policy(const struct mesh_balance_seen *seen)
{
    if (strcmp(what, "abort") == 0 && seen->step == 4)
        abort();
    if (strcmp(what, "exit") == 0)
        exit(9);
    return -(strcmp(what, "fail") == 0);
}
static double cost(const struct mesh_balance_move *move)
{
    return strcmp(what, "abort") == 0 ? (abort(), 0) : move->step < 7 ? 1 : strcmp(what, "nan") == 0 ? NAN : -3;
}
static int partition(const struct mesh_balance_mesh *mesh, const float *weights, const int32_t *before, int32_t *owner)
{
    (void)weights;
    (void)before;
    for (int c = 0; c < 119 + (what[0] == 'm'); c++)
        owner[c] = what[0] == 'm' ? mesh->parts : 0;
    return strcmp(what, "fail") == 0;
}
$(entry '.begin = begin, .policy = policy, .cost = cost, .partition = partition')
END
refused 5 "./wrong.so:abort: the process was ended by signal 6 (Aborted)" --policy never,./wrong.so:abort
refused 5 "./wrong.so:exit: the process ended with exit code 9" --policy ./wrong.so:exit
refused 3 "./wrong.so: its policy failed" --policy ./wrong.so:fail
refused 3 "./wrong.so: its begin failed" --policy ./wrong.so:begin
refused 3 "./wrong.so: its begin failed" --partitioner ./wrong.so:begin
refused 5 "found cost nan of" --price ./wrong.so:nan
refused 5 "found cost -3 of" --price ./wrong.so:minus
refused 5 "./wrong.so:abort: the process was ended by signal 6 (Aborted)" --price ./wrong.so:abort
refused 5 "found owner -1 of cell 119, expected 0 to 3" --partitioner ./wrong.so
refused 5 "found owner 4 of cell 0, expected 0 to 3" --partitioner ./wrong.so:most
refused 3 "./wrong.so: its partition failed" --partitioner ./wrong.so:fail
refused 3 "./none.so: cannot open shared object file" --policy ./none.so
plugin empty <<<"int other;"
refused 3 "./empty.so: found no object mesh_balance_plugin" --policy ./empty.so
plugin less <<<"$(entry '.cost = NULL')"
refused 3 "./less.so: found no policy in it" --policy ./less.so
refused 3 "./less.so: found no cost in it" --price ./less.so
plugin old <<<'const struct mesh_balance_plugin mesh_balance_plugin = {.abi = "mesh balance plugin/0", .size = sizeof(struct mesh_balance_plugin)};'
refused 3 "./old.so: found another abi or size, expected mesh balance plugin/1" --policy ./old.so
refused 2 "found --move with --price ./good.so" --price ./good.so:1 --move 1
refused 2 "found --vary price with --price ./good.so" --price ./good.so:1 --vary price
finish
