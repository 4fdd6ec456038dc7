#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Whatever a CSV file of samples holds, it is refused with its line or becomes an experiment whose models
# answer whatever is asked: nothing negative, nothing that is not finite, no interval that leaves the curve out.
. "$(dirname "$0")/../lib/lib.sh"
python3 - "${FAULT_SEEDS:-${SOAK:+3000}}" <<'END' || fail "samples"
import math, os, random, re, shutil, subprocess, sys
COUNT = int(sys.argv[1] or 40)
KINDS = {"tiny": lambda: random.random() * 1e-12, "huge": lambda: random.random() * 1e12,
         "negative": lambda: random.randint(-50, 50), "integer": lambda: random.randint(1, 10000),
         "zero": lambda: 0, "constant": lambda: 7, "power": lambda: 2 ** random.randint(0, 30),
         "mixed": lambda: random.choice([0, 1, -1, 1e-300, 1e300, 2 ** 53, -2 ** 62, .5, ""])}
TIMES = {"zero": lambda x: 0, "constant": lambda x: 5, "random": lambda x: random.random() * 100,
         "linear": lambda x: min(1e8, 1 + x) * random.gauss(1, .1) ** 2, "huge": lambda x: random.random() * 1e12,
         "heavy": lambda x: min(random.paretovariate(.6), 1e13), "falling": lambda x: 1e3 / (1 + min(x, 1e6)),
         "two": lambda x: (1 + x % 1e6) * random.choice([1, 1, 1, 100])}
bad = 0
def fail(seed, *words):
    global bad
    bad += 1
    print("FAIL: seed", seed, *words)
    for name in ("samples.csv", "points.csv"):
        shutil.copy(name, "%s-%s" % (seed, name))
def mastermind(*words):
    return subprocess.run(["mastermind", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, errors="replace", check=False)
def number(value):
    return "" if value == "" else repr(value)
def write(kinds, times):
    with open("samples.csv", "w") as file:
        print("t", "m", *("p%d" % k for k in range(len(kinds))), sep=",", file=file)
        for _ in range(random.choice([1, 2, 3, 5, 10, 60, 400])):
            values = [KINDS[kind]() for kind in kinds]
            x = abs(float(values[0])) if values and values[0] != "" else 1
            print(repr(float(times(x))), random.choice("ab"), *map(number, values), sep=",", file=file)
    with open("points.csv", "w") as file:
        print("m", *("p%d" % k for k in range(len(kinds))), sep=",", file=file)
        for _ in range(12):
            print(random.choice("abc"), *(number(random.choice([KINDS[k](), 0, -1, 1e18, 1e-9, 1e300])) for k in kinds),
                  sep=",", file=file)
def spoil():
    """Change, insert or take away some bytes."""
    text = bytearray(open("samples.csv", "rb").read())
    for _ in range(random.randint(1, 5)):
        at, part = random.randrange(len(text)), random.randrange(60)
        text[at:at + random.choice([0, 1, part])] = random.choice(
            [b"", bytes([random.randrange(256)]), text[at:at + part], b'"', b"\0", b",", b"\n", b"1e308", b"-1", b"nan", b"1e18"])
        text = text or bytearray(b"t")
    open("samples.csv", "wb").write(text)
def check_points(seed, out):
    for line in out.splitlines()[1:]:
        cells = line.split(",")[-8:]
        if any(cell and not (math.isfinite(float(cell)) and float(cell) >= 0) for cell in cells):
            fail(seed, "points:", line)
        elif all(cells):
            typ, mean, sd, low, high, fit_low, fit_high, beyond = map(float, cells)
            if low > high or fit_low > typ * (1 + 1e-6) or fit_high < typ * (1 - 1e-6) or beyond < 1:
                fail(seed, "points:", line)
for seed in range(COUNT):
    random.seed(seed)
    write([random.choice(list(KINDS)) for _ in range(random.randint(0, 4))], random.choice(list(TIMES.values())))
    spoiled = seed % 3 == 2
    if spoiled:
        spoil()
    shutil.rmtree("exp", ignore_errors=True)
    run = mastermind("import", "csv", "samples.csv", "--time", "t:us", "--modes", "m", "-o", "exp")
    if run.returncode not in ((0, 2, 3) if spoiled else (0,)) or os.path.exists("exp") != (run.returncode == 0):
        fail(seed, "import:", run)
    if run.returncode:
        if len(run.stderr.splitlines()) != 1:
            fail(seed, "message:", run.stderr)
        continue
    for words in (["report", "exp"], ["model", "exp"], ["model", "exp", "--json"], ["predict", "exp"],
                  ["predict", "exp", "--points", "points.csv", "--curve"]):
        run = mastermind(*words)
        if run.returncode not in ((0, 1, 2, 3) if spoiled else (0, 1)):
            fail(seed, words, run.returncode, run.stderr)
        elif not spoiled and re.search(r"(^|[ ,-])(nan|inf)\b", run.stdout):
            fail(seed, words, "not finite")
        elif not spoiled and "--points" in words:
            check_points(seed, run.stdout)
sys.exit(bad > 0)
END
finish
