#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# libmm_reader from C and from Python: the same rows and sums as `mastermind records` and `report`.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "Python is built without"
export MASTERMIND_READER=$O/lib/libmm_reader.so.1 PYTHONPATH=$root/mastermind/open

run 0 ccafe --measure --metrics CPU_TIME --experiment shock.mm -D FLUX=EFMFlux -D NX=64 -D NY=16 -D PATCH=16 -D T_END=.3 \
    -D PICTURE=x.png "$root/scripts/shock-demo.rc"
run 0 ccafe --measure --storage aggregates --experiment sums.mm -D FLUX=EFMFlux -D NX=64 -D NY=16 -D PATCH=16 \
    -D T_END=.1 -D PICTURE=y.png "$root/scripts/shock-demo.rc"
printf 'who,x,axis,t\na.b.c,0.5,up,100\na.b.c,,down,200\na.b.d,7,up,300\n' > odd.csv
run 0 mastermind import csv odd.csv --time t --method-column who --modes axis -o odd.mm
cp -r shock.mm packed.mm
mastermind pack packed.mm > /dev/null 2>&1

# --- Its symbols are its own
equal "foreign symbols" "" "$(nm -D --defined-only "$MASTERMIND_READER" | awk '{print $3}' | grep -v '^mmr_\|^MM_READER_')"

# --- Python
for name in shock sums odd packed; do
    mastermind records $name.mm > rows.csv || fail "records $name"
    mastermind report $name.mm --json > report.json
    python3 - $name <<'P' || fail "Python: $name"
import csv, json, math, sys
import mastermind_reader
rows = list(csv.DictReader(open("rows.csv")))
report = {m["name"]: m for m in json.load(open("report.json"))["methods"]}
with mastermind_reader.Experiment(sys.argv[1] + ".mm") as run:
    assert run.ranks == 1 and run.finished and run.name == sys.argv[1] + ".mm"
    seen = 0
    for method in run.methods:
        wanted = [r for r in rows if (r["instance"], r["port"], r["method"]) == (method.instance, method.port, method.method)]
        table = method.rows()
        assert len(table) == len(wanted), (method, len(table), len(wanted))
        seen += len(table)
        sums = method.sums()
        if method.name in report:
            m = report[method.name]
            assert (sums.calls, sums.exclusive_ns, sums.inclusive_ns) == (m["calls"], m["exclusive_ns"], m["inclusive_ns"])
            for key in ("host_ns", "host_exclusive_ns", "wait_ns", "wait_exclusive_ns"):
                assert getattr(sums, key) == m.get(key, 0), (key, m)
            assert sums.without_row == m["aggregated"], (sums.without_row, m["aggregated"])
        else:
            assert sums.calls == 0
        for i, r in enumerate(wanted):
            for key in ("rank", "thread", "invocation", "wall_ns", "exclusive_ns", "start_ns"):
                assert getattr(table, key)[i] == round(float(r[key])), (key, r)
            assert mastermind_reader.STATUS[table.status[i]] == r["status"]
            for key in ("cpu_ns", "host_ns", "host_exclusive_ns", "wait_ns", "wait_exclusive_ns"):
                assert getattr(table, key)[i] == (int(r[key]) if r[key] else mastermind_reader.ABSENT), (key, r)
            for value in method.values:
                cell = r[("o." if value.kind == "out" else "p.") + value.name]
                found = table.value(value.name, i)
                assert (found is None) == (cell == ""), (value, cell, found)
                if cell and value.kind != "mode":
                    assert float(cell) == found, (value, cell, found)
    assert seen == len(rows)
    column = table.wall_ns
    total = sum(column)
    del table
    assert sum(column) == total  # a view keeps its memory
try:
    mastermind_reader.Experiment("nothing.mm")
    raise SystemExit("no error")
except mastermind_reader.Error as error:
    assert "nothing.mm" in str(error)
P
done

# --- C and C++, as a user compiles them
cat > sum.c <<'C'
#include <mm_reader.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    char error[MMR_ERROR];
    struct mmr_experiment *e = mmr_open(argc > 1 ? argv[1] : "", error);
    if (!e) { fprintf(stderr, "%s\n", error); return 3; }
    for (size_t m = 0; m < mmr_methods(e); m++) {
        struct mmr_table *t = mmr_table_new(e, m, error);
        struct mmr_sums sums = {.size = sizeof sums};
        long long wall = 0, q = 0;
        if (!t || mmr_method_sums(e, m, &sums, error)) { fprintf(stderr, "%s\n", error); return 3; }
        for (size_t i = 0; i < t->rows; i++) wall += t->wall_ns[i];
        for (size_t v = 0; v < t->values; v++)
            for (size_t i = 0; t->value[v].integer && i < t->rows; i++)
                if (t->value[v].integer[i] != MMR_ABSENT) q += t->value[v].integer[i];
        printf("%s %zu %lld %lld\n", mmr_method(e, m, MMR_NAME), t->rows, wall, q);
        mmr_table_free(t);
    }
    if (mmr_table_new(e, 1000, error) || mmr_method(e, 1000, MMR_NAME) || mmr_version() != MMR_VERSION) return 1;
    mmr_close(e);
    mmr_close(NULL);
    return 0;
}
C
$CC -std=c11 -Wall -Wextra -Werror -I"$root/mastermind/open" -o sum sum.c -L"$O/lib" -lmm_reader -Wl,-rpath,"$O/lib" || fail "C"
printf '#include <mm_reader.h>\nint main() { return mmr_version() - MMR_VERSION; }\n' > v.cc
$CXX -std=c++11 -pedantic -Wall -Wextra -Werror -I"$root/mastermind/open" -o v v.cc -L"$O/lib" -lmm_reader -Wl,-rpath,"$O/lib" && ./v || fail "C++"
run 0 ./sum shock.mm
python3 - <<'P' || fail "sums of C"
import mastermind_reader
run = mastermind_reader.Experiment("shock.mm")
for line in open("out"):
    name, rows, wall, q = line.rsplit(" ", 3)
    table = run[name].rows()
    own = sum(x for v in run[name].values if not v.is_real for x in table[v.name] if x != mastermind_reader.ABSENT)
    assert (int(rows), int(wall), int(q)) == (len(table), sum(table.wall_ns), own), line
P
run 3 ./sum nothing.mm
holds err 'nothing.mm'
dd if=/dev/zero of=packed.mm/rank-0000/methods.json bs=1 count=20 seek=40 conv=notrunc 2>/dev/null
run 3 ./sum packed.mm
holds err 'methods.json'
if command -v valgrind > /dev/null; then
    run 0 valgrind -q --error-exitcode=9 --leak-check=full ./sum odd.mm
fi
finish
