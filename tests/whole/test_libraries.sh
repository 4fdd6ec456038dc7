#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Do what docs/guide/libraries.md says, in an empty directory, with an installed tree: its commands print what it shows. Then look at
# the models: of which parameter they are, how they grow, and that
# the recorded parameters are those of the programs.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "a sanitizer's own work is in the times"
use_installed
export OPENBLAS_NUM_THREADS=1 # its threads wait for each other where others compute
cat > models.py << 'END'
import collections, csv, io, json, math, subprocess

def models(experiment, method):
    text = subprocess.run(["mastermind", "model", experiment, "--json"], check=True, capture_output=True).stdout
    found = [m for m in json.loads(text)["methods"] if m["method"] == method]
    assert len(found) == 1, (experiment, method, text)
    return found[0]["models"]

def cost(model, x):
    value = model["constant_ns"]
    for term in model["terms"]:
        def product(at):
            return math.prod(at ** f["exponent"] * (math.log2(at) ** f["logs"] if f["logs"] else 1)
                             for f in term["factors"])
        basis = {"product": lambda: product(x), "hinge": lambda: max(0, product(x) - product(term["at"])),
                 "jump": lambda: float(x > term["at"])}[term["kind"]]()
        value += term["factor_ns"] * basis
    return value

# experiment, method, parameter, how many modes, from and to, at least and at most how much more
for experiment, method, parameter, modes, low, high, least, most in (
        ("letters.mm", "deflate", "n", 3, 3000, 30000, 4, 50),
        ("solve.mm", "dgemm_", "work", 2, 1e5, 1e6, 4, 20),
        ("solve.mm", "dgetrf_", "n", 1, 50, 190, 3, 90),
        ("transforms.mm", "fftw_execute", "n", 1, 128, 2048, 8, 60),
        ("fields.mm", "H5Dwrite", "bytes", 1, 1 << 18, 1 << 21, 1.5, 30)):
    found = models(experiment, method)
    assert len(found) >= modes, (method, found)
    for model in found[:modes]:
        print(f"{method} {model['mode']}: {model['formula']}")
        assert {f["parameter"] for t in model["terms"] for f in t["factors"]} == {parameter}, (method, model)
        more = cost(model, high) / cost(model, low)
        assert least <= more <= most, (method, model["formula"], more)

def rows(experiment, method, value):
    text = subprocess.run(["mastermind", "records", experiment, "--csv"], check=True, capture_output=True, text=True).stdout
    return collections.Counter(r[value] for r in csv.DictReader(io.StringIO(text)) if r["method"] == method)

assert rows("fields.mm", "H5Dwrite", "p.bytes") == collections.Counter(
    str((1 + i % 16) * 64 * 256 * 8) for i in range(32))
assert rows("transforms.mm", "fftw_execute", "p.n") == collections.Counter({str(16 << i): 50 for i in range(8)})
assert rows("letters.mm", "deflate", "p.n") == collections.Counter({str(1000 * i): 9 for i in range(1, 31)})
assert rows("letters.mm", "deflate", "p.level") == collections.Counter({"1": 90, "6": 90, "9": 90})
assert sum(rows("solve.mm", "dgetrf_", "p.n").values()) == 150
assert rows("solve.mm", "dgetrf_", "o.info") == collections.Counter({"0": 150})
END
page() {
    rm -rf empty
    mkdir empty && cd empty || exit 1
    timeout 300 python3 "$root/tests/lib/page.py" "$dir/usr/share/doc/mastermind/docs/guide/libraries.md" ||
        fail "docs/guide/libraries.md"
    python3 ../models.py || fail "models"
    cd .. || exit 1
}
at_best page
finish
