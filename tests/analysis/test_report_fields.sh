#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# A row of report_fields.c is all that a column of `report` needs: each is found in the table, the document, its
# schema, the keys to sort by, the help, the man page and the page of reference.
. "$(dirname "$0")/../lib/lib.sh"
ccafe --measure --experiment run.mm -D FLUX=EFMFlux -D NX=48 -D NY=24 -D PATCH=8 -D T_END=.02 -D PICTURE=run.png \
    "$root/scripts/shock-demo.rc" >log 2>&1 || { cat log; exit 1; }
for metric in TIME WALL_TIME; do
    mastermind report run.mm --metric $metric >$metric.text || fail "report"
    mastermind report run.mm --metric $metric --json >$metric.json || fail "report --json"
done
# Sorted by subrs the table has that column; a busy host has one of its own in its place.
mastermind report run.mm --sort subrs >subrs.text || fail "report --sort subrs"
mastermind help --schema report >own.schema
mastermind help --schema report-metric >metric.schema
mastermind report -h >help
mastermind help --man | sed 's/\\-/-/g' >man
mastermind help --reference >reference
python3 - "$root/mastermind/cmd/report/report_fields.c" <<'END' || fail "a row of report_fields.c is not everywhere"
import json, re, subprocess, sys

text = open(sys.argv[1]).read()
table = text[text.index("mm_report_fields[] = {"):]
# Columns: {"name", unit, documents, KIND(member), needs, "head", "other"|NULL, FORMAT, hides, bound, has_sum, "help"}
columns = re.findall(r'\{"(\w+)",\s*(NULL|"\w+"),\s*([\w| ]+),\s*((?:INT|NUMBER)\(.*?\)|MM_\w+, 0),\s*([\w| ]+),\s*"([^"]+)",'
                     r'\s*(NULL|"[^"]+"),\s*(\w+),\s*([\w| ]+),\s*([\w| ]+),\s*([01]),\s*((?:"[^"]*"\s*)+)', table)
members = re.findall(r'MEMBER\("(\w+)",\s*(NULL|"\w+"),\s*([\w| ]+),', table)
assert len(columns) >= 7 and len(members) >= 17, (columns, members)
assert len(columns) + len(members) == table.count('\n    {"') + table.count('\n    MEMBER("'), "a row of another form"

own, other = json.load(open("TIME.json")), json.load(open("WALL_TIME.json"))
rows = {n: json.load(open(n + ".schema"))["properties"]["methods"]["items"] for n in ("own", "metric")}
help_text, man, reference = open("help").read(), open("man").read(), open("reference").read()
flat = " ".join(help_text.split())
heads = {n: open(n + ".text").readline() for n in ("TIME", "WALL_TIME", "subrs")}
for name, unit, documents, *rest in columns + members:
    words = documents.replace(" ", "").replace("MM_BOTH", "MM_OWN|MM_OTHER").split("|")
    key = name + ("" if unit == "NULL" else "_" + unit.strip('"'))
    for has, schema, key, document in ((("MM_OWN", "MM_OWN_MAYBE"), rows["own"], key, own),
                                       (("MM_OTHER", "MM_OTHER_MAYBE"), rows["metric"], name, other)):
        is_in = [w for w in words if w in has]
        assert bool(is_in) == (key in schema["properties"]), f"schema and {key}"
        if is_in and not is_in[0].endswith("MAYBE"):
            assert key in schema["required"], f"schema does not require {key}"
            assert all(key in m for m in document["methods"]), f"a method without {key}"
    sorted_by = subprocess.run(["mastermind", "report", "run.mm", "--sort", name, "--limit", "1"],
                               capture_output=True, text=True)
    assert sorted_by.returncode == 0, f"--sort {name}: {sorted_by.stderr}"
for row in columns:
    name, head, text = row[0], row[5], "".join(re.findall(r'"([^"]*)"', row[11]))
    assert name == "host_share" or any(f" {head} " in h for h in heads.values()), f"no table has '{head}': {heads}"
    assert text in flat and text in reference and text in " ".join(man.split()), f"no help of {name}: {text}"
END
fits report TIME.json
# --- Of many methods the text has the first 40 and the sum of the others; a document has all
if [ "$(uname -m)" = x86_64 ] && [ -e /usr/include/Zydis/Zydis.h ]; then
    {
        echo 'static volatile double sink;'
        for i in $(seq 50); do
            echo "__attribute__((noinline)) void f$i(int n) { for (int i = 1; i < n; i++) sink += 1. / i; }"
        done
        echo "int main(void) { $(printf 'f%d(2000); ' $(seq 50)) return 0; }"
    } >many.c
    $CC -O1 -o many many.c || fail "compile"
    run 0 mastermind record --functions 'f*' --no-report -o many.mm -- ./many
    mastermind report many.mm >many.text
    equal "methods in the text" 40 "$(grep -c 'many.function.f' many.text)"
    grep -q '^ \.\.\. 1[01] methods left out' many.text || fail "no line of the others: $(cat many.text)"
    equal "methods with --limit 45" 45 "$(mastermind report many.mm --limit 45 | grep -c 'many.function.f')"
    equal "methods in the document" 50 "$(mastermind report many.mm --json | grep -c '"name": "many.function.f')"
fi
fits report-metric WALL_TIME.json
finish
