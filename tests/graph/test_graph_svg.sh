#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# mastermind graph --svg of runs of the shock problem: numbers are those of graph --json and predict --json, the wiring has
# every connection, a sweep's arrows have their counts and laws, mistakes are one clear line.
. "$(dirname "$0")/../lib/lib.sh"
check=$root/tests/graph/svg_graph.py
small=(-D NY=16 -D T_END=.1 -D PICTURE=p.png)
run 0 ccafe --measure --experiment run.mm "${small[@]}" -D FLUX=EFMFlux -D NX=32 -D PATCH=8 "$root/scripts/shock-demo.rc"

run 0 mastermind graph run.mm --svg -o run.svg
[ ! -s out ] || fail "-o prints the picture, too"
mastermind graph run.mm --json >whole.json
mastermind graph run.mm --json --prune 5 >pruned.json 2>/dev/null
mastermind predict run.mm --json >predict.json 2>/dev/null
run 0 python3 "$check" run.svg whole.json
expect 0 "cut" mastermind graph run.mm --svg --prune 5
cp out pruned.svg
run 0 python3 "$check" pruned.svg pruned.json whole.json

# Cut by the rules for contexts: the grey box has the methods of which no context is left.
mastermind graph run.mm --contexts --json --prune 20,10 >contexts.json 2>/dev/null
run 0 mastermind graph run.mm --svg --prune 20,10 -o core.svg
run 0 mastermind graph run.mm --contexts --svg -o contexts.svg
run 0 mastermind graph run.mm --contexts --svg --prune 20,10 -o contexts-core.svg
run 0 python3 "$check" core.svg
run 0 python3 "$check" contexts.svg
run 0 python3 "$check" contexts-core.svg

cat >more.py <<'END'
import json, re, sys
import xml.etree.ElementTree as xml
S = "{http://www.w3.org/2000/svg}"

def groups(path, picture, kind):
    for p in xml.parse(path).getroot().iter(S + "g"):
        if p.get("id") == picture:
            yield from (g for g in p.iter(S + "g") if g.get("class") == kind)

def hover(group):
    return group.find(S + "title").text

# Shares by models: models of a run's own calls give back what most of its methods took.
scale, total = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}, 0
predict = json.load(open("predict.json"))
took = {p["name"]: p["measured_s"] for p in predict["parts"]}
shares, near = {}, 0
for node in groups("run.svg", "dual", "node"):
    found = re.search(r"^by the models ([\d.]+) (\w+), ([\d.]+) %$", hover(node), re.M)
    if found:
        cost = float(found[1]) * scale[found[2]]
        total += cost
        shares[hover(node)] = cost, float(found[3])
        near += abs(cost / took[hover(node).split("\n")[0]] - 1) < .2
for text, (cost, share) in shares.items():
    assert abs(share - 100 * cost / total) < .5, (text, cost, total)
assert len(shares) == len(took) > 5 and near > len(took) / 2, (len(shares), len(took), near)

# The wiring has all instances, ports and connections.
wiring = json.load(open("run.mm/wiring.json"))
lines = [hover(e).split("\n") for e in groups("run.svg", "wiring", "edge")]
found = sorted((l[0], l[1].strip().removeprefix("uses ")) for l in lines)
wanted = sorted((c["user"] + "." + c["uses"], c["provider"] + "." + c["provides"]) for c in wiring["connections"])
assert found == wanted, (found, wanted)
assert sorted(hover(n).split("\n")[0] for n in groups("run.svg", "wiring", "node")) == sorted(i["name"] for i in wiring["instances"])
ports = sum(len(i["provides"]) + len(i["uses"]) for i in wiring["instances"])
assert len(list(groups("run.svg", "wiring", "socket"))) == ports
flux = next(e for e in groups("run.svg", "wiring", "edge") if hover(e).startswith("rhs.flux\n"))
calls = next(v["calls"] for v in json.load(open("whole.json"))["vertices"] if v["name"] == "flux.flux.compute")
assert "\ncalls {:,}\n".format(calls) in hover(flux) and flux.find(S + "text").text == "{:,}".format(calls)

# Contexts: what is drawn and what was cut are those of --json.
document = json.load(open("contexts.json"))
grey = hover(next(groups("contexts-core.svg", "contexts", "node rest")))
assert grey.startswith("%d contexts cut\ncalls %s\n" % (document["prune"]["contexts"], "{:,}".format(document["prune"]["calls"]))), grey
drawn = list(groups("contexts-core.svg", "contexts", "node"))
assert len(drawn) == len(document["contexts"])
kept = {c["name"] for c in document["contexts"] if "method" in c}
methods = {v["name"]: v for v in json.load(open("whole.json"))["vertices"] if v["calls"]}
assert {hover(n).split("\n")[0] for n in groups("core.svg", "dual", "node")} == kept | {"<thread>"}
lost = [v for n, v in methods.items() if n not in kept]
grey = hover(next(groups("core.svg", "dual", "node rest")))
assert lost and grey.startswith("%d methods cut" % len(lost)) and "\ncalls {:,}\n".format(sum(v["calls"] for v in lost)) in grey, grey
END
run 0 python3 more.py

# A sweep: the largest run, and at each arrow the counts of all runs with their law.
run 0 mastermind sweep --repeat 1 --grid 16 -D NX=24,32,48,64 -D PATCH=8,16 --class flux=EFMFlux,HLLCFlux -o sweep -- \
    ccafe "${small[@]}" "$root/scripts/shock-demo.rc"
run 0 mastermind graph sweep --svg -o sweep.svg
run 0 python3 "$check" sweep.svg
cat >sweep.py <<'END'
import glob, json, math, re, subprocess
import xml.etree.ElementTree as xml
S = "{http://www.w3.org/2000/svg}"
root = xml.parse("sweep.svg").getroot()
shown = next(t.text for t in root.iter(S + "title") if t.text.startswith("rk2.integrator.advance\n  calls rhs.rhs.evaluate\n"))
counts, calls, longest = {}, {}, (0,)
for path in sorted(glob.glob("sweep/run-*.mm")):
    graph = json.loads(subprocess.run(["mastermind", "graph", path, "--json"], capture_output=True).stdout)
    names = {v["id"]: v["name"] for v in graph["vertices"]}
    edge = next(e for e in graph["edges"] if (names[e["caller"]], names[e["callee"]]) == ("rk2.integrator.advance", "rhs.rhs.evaluate"))
    run = json.load(open(path + "/experiment.json"))
    key = (run["variables"]["NX"], run["variables"]["PATCH"], run["classes"]["flux"])
    counts[key] = edge["calls"]
    longest = max(longest, (graph["total_ns"], graph["experiment"], key))
    calls[key] = {v["name"]: v["calls"] for v in graph["vertices"]}
listed = {m.groups()[:3]: int(m[4].replace(",", "")) for m in re.finditer(r"^  NX=(\S+) PATCH=(\S+) flux=(\S+): ([\d,]+)", shown, re.M)}
assert listed == counts and len(counts) > 6, (listed, counts, shown)
assert "calls in %d runs:" % len(counts) in shown
# The law gives the counts of the runs that it was found for; the drivers in it are numbers of calls. Which drivers there
# are depends on times.
law = re.search(r"^scaling function: (about )?(.*)\n  (exact in|a trend of) (\d+) different runs with NX = (.*?); PATCH = (.*?)(?:;.*)?; flux = (\w+)$",
                shown, re.M)
assert law and (law[1] is None) == (law[3] == "exact in"), shown
own = [k for k in counts if k[2] == law[7]]
assert int(law[4]) == len(own) == 8 and {k[0] for k in own} == set(law[5].split(", ")) and {k[1] for k in own} == set(law[6].split(", "))
drivers = dict(re.findall(r"^  (\w+): calls of (\S+)$", shown, re.M))
for key in own:
    names = {"ceil": math.ceil, "NX": int(key[0]), "PATCH": int(key[1])}
    names.update({short: calls[key][name] for short, name in drivers.items()})
    value = eval(law[2].replace("^", "**"), names)
    assert abs(value / counts[key] - 1) < (.2 if law[1] else 1e-9), (law[2], key, value, counts[key])

# The longest run is drawn; the connection has the sum of what goes through it.
name, key = longest[1:]
texts = [t.text for t in root.iter(S + "text")]
assert name in texts and any(t.endswith("; of 16 runs, which supply counts and scaling functions, the longest: NX=%s PATCH=%s flux=%s" % key) for t in texts if t), texts[:4]
through = next(t.text for t in root.iter(S + "title") if t.text.startswith("rk2.rhs\n  uses rhs.rhs\n"))
assert re.search(r"^scaling function: .*", through, re.M)[0] == re.search(r"^scaling function: .*", shown, re.M)[0], through
END
run 0 python3 sweep.py

# Mistakes.
expect 2 "found --json and --svg, expected one of them" mastermind graph run.mm --svg --json
expect 2 "-o needs --svg" mastermind graph run.mm -o x.svg
expect 2 "expected P or P,S" mastermind graph run.mm --svg --prune 5,x
expect 2 "expected the directory of an experiment" mastermind graph --svg
expect 3 "none.mm" mastermind graph none.mm --svg
expect 5 "cannot write 'none/x.svg'" mastermind graph run.mm --svg -o none/x.svg

# Without Graphviz, and with one that fails, writes nonsense or finds no end, boxes stand in layers.
mkdir only broken
ln -s "$(command -v mastermind)" only/mastermind
expect 0 "note: found no program 'dot'" env PATH="$dir/only" mastermind graph run.mm --svg -o layers.svg
run 0 python3 "$check" layers.svg whole.json
for bad in 'exit 1' 'kill -9 $$' 'echo "graph 1 2 2"; echo "node n99 1 1 1 1"' 'echo "edge n0 n1 9999999 1"' 'while :; do :; done'; do
    printf '#!/bin/sh\n%s\n' "$bad" >broken/dot
    chmod +x broken/dot
    run 0 env PATH="$dir/broken:$PATH" mastermind graph run.mm --contexts --svg -o layers.svg
    run 0 python3 "$check" layers.svg
done
finish
