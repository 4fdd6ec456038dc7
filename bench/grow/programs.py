#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Score `mastermind grow` on programs that others wrote: time and peak memory at twice the largest size.

  programs.py [--only NAME] [--keep DIR]

Each program runs with several sizes; grow predicts twice the largest; that run is then made five times (truth: its
mean). A row: errors of both predictions, half-widths of both 90 % intervals as logarithms, whether they hold
the truth, and how much equal runs differ. Numpy scripts need python3-numpy.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

NUMPY = {
    "numpy matmul": ("import numpy as np,sys;n=int(sys.argv[1]);a=np.random.default_rng(1).random((n,n));"
                     "print((a@a).sum())", "900"),
    "numpy solve": ("import numpy as np,sys;n=int(sys.argv[1]);a=np.random.default_rng(1).random((n,n));"
                    "print(np.linalg.solve(a,a[0]).sum())", "1200"),
    "numpy sort": ("import numpy as np,sys;n=int(sys.argv[1]);print(np.sort(np.random.default_rng(1).random(n))[n//2])",
                   "4000000"),
    "numpy fft": ("import numpy as np,sys;n=int(sys.argv[1]);print(abs(np.fft.fft(np.random.default_rng(1).random(n)))"
                  ".max())", "1048576"),
    "numpy jacobi": ("import numpy as np,sys\nn=int(sys.argv[1]);a=np.zeros((n,n));a[0]=1\n"
                     "for i in range(200): a[1:-1,1:-1]=.25*(a[2:,1:-1]+a[:-2,1:-1]+a[1:-1,2:]+a[1:-1,:-2])\n"
                     "print(a.sum())", "400"),
}
SHELL = {
    "sort": ("LC_ALL=C sort --parallel=1 -S 1G numbers-{n} -o sorted", "400000"),
    "gzip": ("gzip -9c numbers-{n} >/dev/null", "400000"),
    "bzip2": ("bzip2 -c numbers-{n} >/dev/null", "400000"),
    "xz": ("xz -3 -c numbers-{n} >/dev/null", "200000"),
    "zstd": ("zstd -q -12 --single-thread -c numbers-{n} >/dev/null", "400000"),
    "awk": ("awk '{a[$1 % 100003] += $1} END {for (k in a) s += a[k]; print s}' numbers-{n}",
            "800000"),
    "perl": ("perl -e 'my %h; $h{$_*7919}=1 for 1..{n}; print scalar(keys %h)'", "400000"),
    "bc": ("echo 'scale={n}; 4*a(1)' | bc -l", "900"),
    "sqlite3": ("echo 'create table t(a,b); with recursive c(x) as (select 1 union all select x+1 from c where "
                "x<{n}) insert into t select x*7919%1000003,x from c; create index i on t(a); select count(*) from t "
                "x join t y on x.a=y.b;' | sqlite3 :memory:", "400000"),
    "factor": ("seq 1000000000 $((1000000000+{n})) | factor | tail -n1", "400000"),
    "sha256sum": ("sha256sum numbers-{n}", "8000000"),
    "jq": ("jq -s length numbers-{n}", "400000"),
    "xmllint": ("(echo '<t>'; sed 's/.*/<i>&<\\/i>/' numbers-{n}; echo '</t>') | xmllint --noout -", "400000"),
    "node": ("node -e 'let a = []; for (let i = 0; i < {n}; i++) a.push(String(i * i)); console.log(a.length)'", "1600000"),
    "python sets": ("/usr/bin/python3 -c \"n={n}; print(len({str(i*i) for i in range(n)}))\"",
                    "400000"),
}


def command(name):
    if name in NUMPY:
        return ["env", "OMP_NUM_THREADS=1", "/usr/bin/python3", "-c", NUMPY[name][0], "{n}"], NUMPY[name][1]
    return ["sh", "-c", SHELL[name][0]], SHELL[name][1]


def run(words, n):
    """CPU time in s and peak memory in bytes of one run. A shell starts time(1), so that the peak is not that of
    this process."""
    done = subprocess.run(["sh", "-c", '/usr/bin/time -f "%U %S %M" "$@"; :', "sh",
                           *(w.replace("{n}", n) for w in words)],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True)
    user, system, kib = done.stderr.split()[-3:]
    return float(user) + float(system), 1024 * float(kib)


def judge(total, truth):
    error = total.get("value", math.nan) / truth - 1
    half = math.log(total["high"] / total["low"]) / 2 if "low" in total else math.inf
    return error, half, "low" in total and total["low"] <= truth <= total["high"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only")
    parser.add_argument("--sizes", type=int, default=7, help="number of sizes, from an eighth of the largest on")
    parser.add_argument("--keep", help="keep the runs of each program in this directory, and take them from it")
    options = parser.parse_args()
    folder = options.keep or tempfile.mkdtemp()
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    good = {"time": 0, "memory": 0}
    inside = {"time": 0, "memory": 0}
    widths = []
    print(f"{'':14} {'time s':>8} {'error %':>8} {'+-%':>6} {'equal %':>8} {'in':>3} {'/eq':>5}"
          f" {'peak MiB':>9} {'error %':>8} {'+-%':>6} {'in':>3}")
    names = [n for n in [*NUMPY, *SHELL] if not options.only or options.only == n]
    for name in names:
        words, sizes = command(name)
        largest = int(sizes)
        sizes = ",".join(str(round(largest * 8 ** (i / (options.sizes - 1) - 1))) for i in range(options.sizes))
        twice = str(2 * largest)
        for n in [*sizes.split(","), twice]:
            if "numbers-" in words[-1] and not os.path.exists(f"numbers-{n}"):
                with open(f"numbers-{n}", "w") as out:
                    out.writelines(f"{i * 7919 % 10000019}\n" for i in range(int(n)))
        truth_file = name.replace(" ", "-") + ".truth"
        done = subprocess.run(["mastermind", "grow", "-n", sizes, "-o", name.replace(" ", "-"), "--json", "--", *words],
                              capture_output=True, text=True)
        document = json.loads(done.stdout)
        if not os.path.exists(truth_file):
            json.dump([run(words, twice) for _ in range(5)], open(truth_file, "w"))
        truth = json.load(open(truth_file))
        cpu, peak = (statistics.mean(t[k] for t in truth) for k in (0, 1))
        equal = max(document.get("spread", 0), statistics.stdev(t[0] for t in truth) / cpu)
        answer = document["predictions"][0]
        error, half, holds = judge(answer["cpu_s"], cpu)
        m_error, m_half, m_holds = judge(answer["peak_bytes"], peak)
        good["time"] += abs(error) <= .1 or holds
        good["memory"] += abs(m_error) <= .1 or m_holds
        inside["time"] += holds
        inside["memory"] += m_holds
        widths.append(half / max(equal, .02))
        print(f"{name:14} {cpu:8.2f} {100 * error:8.1f} {100 * half:6.0f} {100 * equal:8.1f} {'yes' if holds else 'NO':>3}"
              f" {half / max(equal, .02):5.1f} {peak / 2**20:9.1f} {100 * m_error:8.1f} {100 * m_half:6.0f}"
              f" {'yes' if m_holds else 'NO':>3}   {document.get('law', '')[:40]}; {document.get('peak_law', '')[:40]}",
              flush=True)
    count = len(names)
    print(f"within 10 % or inside: time {good['time']}, memory {good['memory']} of {count};"
          f" inside: time {inside['time']}, memory {inside['memory']};"
          f" half-width / what equal runs differ by (2 % at least): median {statistics.median(widths):.1f}")


if __name__ == "__main__":
    main()
