#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Cost of a call of a program's own function, which was not rebuilt, ns.

    own.py [RUNS]

An empty function is called in a loop, without the recorder, with a row of each call, in aggregates, and
where it rests, for it is too short and too often called. Prints the fastest of RUNS (9), the plain call
subtracted. Needs `mastermind` in PATH."""
import os
import subprocess
import sys
import tempfile

PROGRAM = r"""
#include <stdio.h>
#include <time.h>
__attribute__((noinline)) void empty(int a, int b) { __asm__ volatile("nop; nop; nop; nop; nop" : : "r"(a), "r"(b)); }
static double now(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec * 1e9 + t.tv_nsec; }
int main(void)
{
    double best = 1e9;
    for (int k = 0; k < 400; k++) { /* short loops: some find the host quiet */
        double t = now();
        for (int i = 0; i < 4000; i++) empty(1, 64);
        t = (now() - t) / 4000;
        if (t < best) best = t;
    }
    printf("%.2f\n", best);
    return 0;
}
"""
WAYS = {"row": ["--functions", "empty", "--storage", "rows"],
        "aggregates": ["--functions", "empty", "--storage", "aggregates"],
        "rests": ["--functions", "[e]mpty"]}


def main():
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 9
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        with open("loop.c", "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        subprocess.run(["cc", "-O2", "-g", "-o", "loop", "loop.c"], check=True)

        def fastest(command):
            return min(float(subprocess.run(command + ["./loop"], check=True, capture_output=True).stdout)
                       for _ in range(runs))

        plain = fastest([])
        print(f"{'plain':12}{plain:8.1f}")
        for way, options in WAYS.items():
            record = ["mastermind", "record", *options, "--no-report", "--"]
            print(f"{way:12}{fastest(record) - plain:8.1f}")


main()
