#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The mark-up language in calls of libraries: what is recorded is what the program says.
. "$(dirname "$0")/../headers/headers.sh"
data=$root/tests/data/marks
warnings="-Wall -Wextra -Wpedantic -Werror"

# The library binds its own calls, so that what is recorded is what the program calls.
# --- Places, modes, out-values, handles, getters
# shellcheck disable=SC2086
$CC -std=gnu11 -D_GNU_SOURCE -O1 -g $warnings -shared -fPIC -Wl,-Bsymbolic -I"$data" -o libdeep.so "$data/deep.c" &&
    $CC -std=gnu11 -D_GNU_SOURCE -O1 -g $warnings -pthread -I"$data" -o deep_calls "$data/deep_calls.c" \
        -L. -ldeep -Wl,-rpath,"$dir" || exit 1
functions=$(awk '$1 == "function" { printf "%s%s", comma, $2; comma = "," }' "$data/deep.perf")
proxygen --interpose "$data/deep.h" -I "$data" --functions "$functions" --sidecar "$data/deep.perf" -o proxy ||
    fail "proxygen"
for compiler in gcc "clang -fsyntax-only"; do
    for standard in c11 gnu17; do
        # shellcheck disable=SC2086
        $compiler -std=$standard -O2 -Wall -Wextra -Werror -fPIC -I"$root" -I"$data" -c -o object.o \
            proxy/deep_interpose.c || fail "$compiler -std=$standard"
    done
done
# --- What is wrong, and where
wrong() { # FUNCTION LINE MESSAGE
    printf 'header deep.h\nfunction deep_plan_run\n  param n = recall size on plan\nfunction %s\n  %s\n' "$1" "$2" > bad.perf
    [ "$1" = deep_plan_make ] || printf 'function deep_plan_make\n remember n0 as size on return\n' >> bad.perf
    proxygen --interpose "$data/deep.h" -I "$data" --functions "$functions" --sidecar bad.perf -o none 2> said
    [ $? = 3 ] && [ "$(cat said)" = "bad.perf:5:$3" ] || fail "$1: $2: said $(cat said), expected $3"
    [ -e none ] && fail "$2: something was left behind"
}
v=deep_visit
wrong $v 'param a = lst->n' "13: error: 'lst' is no argument of 'deep_visit'; did you mean 'list'?"
wrong $v 'param a = list->nxt->n' "19: error: 'nxt' is no field of 'struct deep_node'; did you mean 'next'?"
wrong $v 'param a = list.n' "17: error: 'list' is a pointer; its target's field is reached with '->' (deep_node_t *)"
wrong $v 'param a = by->x' "15: error: 'by' is no pointer; a field of it is reached with '.' (struct deep_point)"
wrong $v 'param a = list->at' "13: error: 'list->at' is no number (struct deep_point)"
wrong $v 'param a = list->dims[4]' "24: error: index 4 of an array of 4"
wrong $v 'param a = list->changing' "19: error: 'changing' is volatile, and never read"
wrong $v 'param a = sizeof(deep_nod_t)' "20: error: 'deep_nod_t' is neither a type of the header nor an argument of 'deep_visit'"
wrong $v 'param a = countof(list)' "21: error: 'list' is no array that the header declares with a length (deep_node_t *)"
wrong $v 'param a = kind' "13: error: 'kind' is a pointer (const char *); '*kind' is a number"
wrong $v 'mode kind' "8: error: mode 'kind' is a string; its set was expected: { \"this\", \"that\" }"
wrong $v 'mode kind { "a", "a" }' "20: error: string \"a\" is in the set twice"
wrong $v 'mode kind { 1: a }' "15: error: '1' where a string of the set was expected"
wrong $v 'mode on { "a" }' "13: error: '\"a\"' names a string, and 'on' is a number"
wrong $v 'param a = DEEP_GREN' "13: error: 'DEEP_GREN' is no argument of 'deep_visit'"
wrong $v 'param a = return' "9: error: 'a' is known before the call, 'return' after it"
printf 'header deep.h\nquality error 5\n' > bad.perf
proxygen --interpose "$data/deep.h" --functions deep_open --sidecar bad.perf -o none 2> said
[ $? = 3 ] && [ "$(cat said)" = "bad.perf:2:15: error: '5' where '=' was expected" ] || fail "$(cat said)"
wrong deep_plan_end 'param w = recall wight on plan' "20: error: 'wight' is recalled, and no line remembers it"
wrong deep_plan_end 'param w = recall sizes on plan' "20: error: 'sizes' is recalled, and no line remembers it; did you mean 'size'?"
wrong deep_plan_end 'param w = recall size to plan' "25: error: 'to' where 'on' and a handle was expected"
wrong deep_plan_end 'forget return' "10: error: 'deep_plan_end' returns nothing"
wrong deep_plan_make 'forget return' "10: error: a handle is forgotten before the call, 'return' is known after it"
wrong deep_plan_make 'remember weight on weight' "22: error: 'weight' is no handle: neither a pointer nor an integer (double)"
m=deep_multiply
wrong $m 'get m via deep_matrix_sise(a, &m, NULL)' "13: error: 'deep_matrix_sise' is no function that the header declares"
wrong $m 'get m, n via deep_matrix_size(a, &m)' "38: error: 'deep_matrix_size' takes 3 arguments, found 2"
wrong $m 'get m via deep_matrix_size(a, &m, NULL, NULL)' "41: error: 'deep_matrix_size' takes 3 arguments, found more"
wrong $m 'get m, n via deep_matrix_size(a, &m, &k)' "41: error: 'k' where a name that is got was expected"
wrong $m 'get m via deep_matrix_size(product, &m, NULL)' "30: error: 'deep_matrix_size' takes 'deep_matrix' for 'a', found deep_matrix *"
wrong $m 'get m via deep_matrix_norm(&m)' "31: error: 'deep_matrix_norm' takes 'const struct deep_matrix *' for 'a', found the address of a number"
wrong $m 'get a via deep_matrix_norm(a)' "7: error: 'a' is an argument already"
wrong $m 'get x, y via deep_matrix_norm(a)' "7: error: 'x' is given to no argument of 'deep_matrix_norm': '&x'"
wrong $m 'get m via deep_matrix_rows(a, return)' "3: error: 'return' is known after the call: write 'after' at the end of the line"
wrong $m 'get m via deep_matrix_rows(a, m)' "33: error: 'm' is no argument of 'deep_multiply'"
wrong $m 'get m, n via deep_matrix_size(a, &m, n)' "40: error: 'n' is no argument of 'deep_multiply'"
wrong $m 'get m via deep_matrix_norm(a) if a > 1' "36: error: 'a' is no number (const struct deep_matrix *)"

# --- What is recorded
needs_preload
timeout 60 ./deep_calls > plain || fail "the program itself: $?"
timeout 60 mastermind record --proxy proxy -o deep.mm -- ./deep_calls > told 2> said || fail "status $?: $(cat said)"
cmp plain told || fail "another output when measured"
mastermind records deep.mm > rows.csv || fail "records"
python3 "$root/tests/headers/compare.py" told rows.csv > said || fail "$(cat said)"
echo "deep: $(cat said)"
# What gets numbers is not in the time of the call: deep_matrix_norm alone takes 50 ms.
python3 - rows.csv << 'END' || fail "a getter was timed"
import csv, sys
rows = [r for r in csv.DictReader(open(sys.argv[1])) if r["method"] == "deep_multiply"]
assert len(rows) == 4 and sum(float(r["wall_ns"]) < 45e6 for r in rows) >= 3, rows
END

# What the sidecar says of the library as a whole
python3 - deep.mm/wiring.json << 'END' || fail "qualities"
import json, sys
library, = [i for i in json.load(open(sys.argv[1]))["instances"] if i["name"] == "libdeep"]
found = [(q["name"], q["value"], q["compose"]) for q in library["qualities"]]
assert found == [("error", 2.5e-12, "max"), ("order", -3, "min")], found
END

# --- Handles in several threads: each run finds what the same thread has remembered
timeout 100 mastermind record --proxy proxy -o threads.mm -- ./deep_calls 4 > /dev/null 2> said ||
    fail "threads: $(cat said)"
mastermind records threads.mm > rows.csv || fail "records of threads"
python3 - rows.csv << 'END' || fail "handles of threads"
import csv, sys
found = [int(r["p.size"]) for r in csv.DictReader(open(sys.argv[1])) if r["method"] == "deep_plan_run"]
want = [(1 + t * 100000 + i) * (j + 1) for t in range(4) for i in range(2000) for j in range(3)]
assert sorted(found) == sorted(want), (len(found), len(want))
END

# --- Fortran: lengths of strings arrive, though the header does not declare them
if command -v "${FC:-gfortran}" > /dev/null; then
    ${FC:-gfortran} -O1 -shared -fPIC -o libsolve.so "$data/solve.f90" &&
        ${FC:-gfortran} -O1 -o solve_calls "$data/solve_calls.f90" -L. -lsolve -Wl,-rpath,"$dir" || fail "no program"
    proxygen --interpose "$data/solve.h" -I "$data" --functions solve_ --sidecar "$data/solve.perf" -o fproxy ||
        fail "proxygen of Fortran"
    timeout 60 mastermind record --proxy fproxy -o solve.mm -- ./solve_calls > told 2> said ||
        fail "Fortran: status $?: $(cat said)"
    mastermind records solve.mm > rows.csv || fail "records"
    python3 "$root/tests/headers/compare.py" told rows.csv > said || fail "Fortran: $(cat said)"
    echo "solve: $(cat said)"
    printf 'header solve.h\nfunction solve_\n fortran_lengths 17\n' > bad.perf
    proxygen --interpose "$data/solve.h" --functions solve_ --sidecar bad.perf -o none 2> said
    [ $? = 3 ] && grep -q "bad.perf:3:18: error: '17' where a number of lengths" said || fail "$(cat said)"
fi
finish
