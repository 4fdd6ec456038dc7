#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Peak memory of 20 programs: `mastermind PROGRAM`, and `record --memory`, against the kernel's own figure.

  memory.py [--only NAME]

Truth: ru_maxrss of the program run alone by a parent of 1 MiB, the median of five runs, and how much these differ. A
row: that; the error of the table of a whole run, the median of five; the error of the run's peak under --memory with
all functions. The last lines also count errors within the difference of equal runs.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import tempfile

PARENT = r"""
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **words)
{
    struct rusage use;
    int status;
    pid_t child = vfork();
    (void)count;
    if (!child) { execvp(words[1], words + 1); _exit(127); }
    wait4(child, &status, 0, &use);
    dprintf(9, "%ld\n", use.ru_maxrss);
    return status != 0;
}
"""
OWN = r"""
#include <stdlib.h>
#include <string.h>
__attribute__((noinline)) void fill(long n) { char *p = malloc((size_t)n); memset(p, 1, (size_t)n); __asm__ volatile("" : : "r"(p) : "memory"); free(p); }
__attribute__((noinline)) void grow(long n) { char *p = NULL; for (long k = 1; k <= n; k *= 2) { p = realloc(p, (size_t)k); memset(p, 1, (size_t)k); } free(p); }
__attribute__((noinline)) void list(long n) { void **last = NULL; for (long i = 0; i < n; i++) { void **p = malloc(40); *p = last; last = p; } while (last) { void **p = *last; free(last); last = p; } }
int main(int count, char **words)
{
    long n = atol(words[2]);
    (void)count;
    for (int i = 0; i < 3; i++) words[1][0] == 'f' ? fill(n) : words[1][0] == 'g' ? grow(n) : list(n);
    return 0;
}
"""
PROGRAMS = {
    "fill": ["./own", "fill", "30000000"], "grow": ["./own", "grow", "16777216"], "list": ["./own", "list", "500000"],
    "sort": ["sort", "--parallel=1", "-n", "numbers"], "gzip": ["gzip", "-9c", "numbers"],
    "bzip2": ["bzip2", "-c", "numbers"], "xz": ["xz", "-T1", "-c", "numbers"], "zstd": ["zstd", "-q", "-12", "--single-thread", "-c", "numbers"],
    "gawk": ["awk", "{a[$1 % 10007] += $1} END {print length(a)}", "numbers"],
    "perl": ["perl", "-e", "my %h; $h{$_*7919}=1 for 1..200000; print scalar(keys %h)"],
    "python3": ["/usr/bin/python3", "-c", "print(len({str(i*i) for i in range(200000)}))"],
    "sqlite3": ["sqlite3", ":memory:", "create table t(a); with recursive c(x) as (select 1 union all select x+1 from c where x<200000) insert into t select x from c; select sum(a) from t;"],
    "xmllint": ["xmllint", "--noout", "tree.xml"], "jq": ["jq", "length", "list.json"], "grep": ["grep", "-c", "7", "numbers"],
    "tar": ["tar", "-cf", "-", "numbers"], "factor": ["factor", "1000000007", "1000000009000000063"],
    "sha256sum": ["sha256sum", "numbers"], "diff": ["/usr/bin/diff", "numbers", "others"], "git": ["git", "hash-object", "numbers"],
}


def truth(words):
    read, write = os.pipe()
    os.dup2(write, 9)
    subprocess.run(["./parent"] + words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, pass_fds=[9])
    os.close(write)
    os.close(9)
    with os.fdopen(read) as file:
        return int(file.read()) * 1024


def whole(words):
    out = subprocess.run(["mastermind"] + words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE).stderr
    found = re.search(rb"peak memory ([0-9.]+) (KiB|MiB|GiB)", out)
    return float(found[1]) * {b"KiB": 2**10, b"MiB": 2**20, b"GiB": 2**30}[found[2]] if found else None


def memory(words):
    subprocess.run(["rm", "-rf", "m.mm"])
    subprocess.run(["mastermind", "record", "--memory", "--functions", "*", "--no-report", "-o", "m.mm", "--"] + words,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    out = subprocess.run(["mastermind", "report", "m.mm", "--json"], capture_output=True, text=True).stdout
    time = json.loads(out)["time"] if out else {}
    return time.get("peak_bytes")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only")
    parser.add_argument("--whole", action="store_true", help="without --memory")
    options = parser.parse_args()
    only = options.only
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["XDG_CACHE_HOME"] = folder + "/cache"
        for name, text in (("parent", PARENT), ("own", OWN)):
            with open(name + ".c", "w") as file:
                file.write(text)
            subprocess.run(["gcc", "-O1", "-g", "-o", name, name + ".c"], check=True)
        with open("numbers", "w") as a, open("others", "w") as b, open("tree.xml", "w") as x, open("list.json", "w") as j:
            numbers = [i * 7919 % 1000003 for i in range(300000)]
            a.writelines(f"{i}\n" for i in numbers)
            b.writelines(f"{i + (i % 1000 == 0)}\n" for i in numbers)
            x.write("<t>" + "".join(f"<i>{i}</i>" for i in numbers[:60000]) + "</t>")
            json.dump(numbers, j)
        print(f"{'program':10} {'alone MiB':>10} {'spread':>7} {'whole':>8} {'--memory':>9}")
        for name, words in PROGRAMS.items():
            if only and name != only:
                continue
            alone = [truth(words) for _ in range(5)]
            peak = statistics.median(alone)
            spread = max(alone) / min(alone) - 1
            wholes = [w for w in (whole(words) for _ in range(5)) if w]
            found = [statistics.median(wholes) if wholes else None, None if options.whole else memory(words)]
            errors = [f / peak - 1 if f else None for f in found]
            rows.append((errors, spread))
            print(f"{name:10} {peak / 2**20:10.2f} {spread:7.2%} "
                  + " ".join(f"{e:+8.2%}" if e is not None else f"{'-':>8}" for e in errors)
                  + (f"  {(found[1] - peak) / 2**20:+.2f} MiB" if found[1] else ""), flush=True)
    for i, what in enumerate(("whole", "--memory")):
        errors = [(abs(r[0][i]), r[1]) for r in rows if r[0][i] is not None]
        print(f"{what}: {sum(e <= .01 for e, _ in errors)} of {len(rows)} within 1 %, "
              f"{sum(e <= max(.01, spread) for e, spread in errors)} within that or the difference of equal runs")


main()
