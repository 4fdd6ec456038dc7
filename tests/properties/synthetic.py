# SPDX-License-Identifier: BSD-3-Clause
"""A store of random numbers, as large as asked, to time questions and to check answers.

    synthetic.py OUT [--units 1,256,1024] [--regions 200] [--seed 1] [--batches N]

makes OUT: an experiment for each number of units (the first is the sequential one), in each
a summary of every region on every unit: 256,200 of them unless asked otherwise. Region 1 is
the program, which has all times of the others; the others are methods m001, m002, ... Times of
a region are consistent: parts of MPI add up to it, MPI is within the execution time, and the
methods' times add up to nine tenths of the program's. Two levels of cache. The same seed gives
the same file."""
import argparse
import os
import random
import sqlite3

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../properties/store/schema.sql")
PARTS = "recv_time send_time mpi_sync_time coll_time mpi_ctl_time io_time".split()
COLUMNS = ("exec_time own_time mpi_time own_mpi_time cpu_time own_cpu_time".split() + PARTS +
           "omp_sync_time omp_ctl_time loss_par wait_time instructions recording".split())
INSERT = "INSERT INTO summary (experiment, region, unit, calls, %s) VALUES (%s)" % (
    ", ".join(COLUMNS), ", ".join("?" * (4 + len(COLUMNS))))


def values(rng, exec_time):
    """Times of one region on one unit, by name."""
    mpi = exec_time * rng.uniform(0, .5)
    shares = [rng.expovariate(1) for _ in PARTS]
    v = {name: mpi * share / sum(shares) for name, share in zip(PARTS, shares)}
    v.update(exec_time=exec_time, own_time=exec_time * rng.random(), mpi_time=mpi, own_mpi_time=mpi * rng.random(),
             cpu_time=exec_time * rng.uniform(.5, 1), omp_sync_time=exec_time * rng.uniform(0, .1),
             omp_ctl_time=exec_time * rng.uniform(0, .02), loss_par=exec_time * rng.uniform(0, .1),
             wait_time=mpi * rng.random(), instructions=float(round(exec_time * rng.uniform(1e9, 3e9))),
             recording=exec_time * 1e-4)
    v["own_cpu_time"] = v["cpu_time"] * rng.random()
    return v


def add(into, v):
    for name, value in v.items():
        into[name] = into.get(name, 0) + value


def unit_rows(rng, work, regions):
    """The values of all regions on one unit; those of the program are at [0]."""
    methods = [values(rng, work * rng.expovariate(1) / regions) for _ in range(regions - 1)]
    program = {}
    for v in methods:
        add(program, v)
    program["exec_time"] /= .9
    program["own_time"] = program["exec_time"] * .1
    return [program] + methods


def fill(db, args):
    rng = random.Random(args.seed)
    db.execute("INSERT INTO application VALUES (1, 'synthetic')")
    db.execute("INSERT INTO version VALUES (1, 1, 'synthetic')")
    db.execute("INSERT INTO machine VALUES (1, 'synthetic')")
    db.executemany("INSERT INTO region (id, version, kind, name) VALUES (?, 1, ?, ?)",
                   [(1, "program", "program")] +
                   [(i, "method", "m%03d" % (i - 1)) for i in range(2, args.regions + 1)])
    unit = 0
    for e, count in enumerate(args.units, 1):
        db.execute("INSERT INTO experiment (id, version, machine, path, name, problem, configuration, ranks, threads,"
                   " units, state, root) VALUES (?, 1, 1, ?, ?, 'synthetic', ?, ?, 1, ?, 'finished', 1)",
                   (e, "%d.mm" % count, "%d.mm" % count, "synthetic ranks=%d" % count, count, count))
        for rank in range(count):
            unit += 1
            node = unit // 64 + 1
            db.execute("INSERT INTO node VALUES (?, 1, ?, 'synthetic', 64) ON CONFLICT DO NOTHING", (node, "n%d" % node))
            db.execute("INSERT INTO unit (id, experiment, rank, thread, node) VALUES (?, ?, ?, 0, ?)", (unit, e, rank, node))
            rows = unit_rows(rng, 1000. / count, args.regions)
            db.executemany(INSERT, [[e, r, unit, float(rng.randint(1, 1000))] + [v[c] for c in COLUMNS]
                                    for r, v in enumerate(rows, 1)])
            caches = [(e, r, unit, level, a * rng.uniform(0, .2), a) for r, v in enumerate(rows, 1)
                      for level, a in ((1, v["instructions"] * .3), (2, v["instructions"] * .03))]
            db.executemany("INSERT INTO summary_cache VALUES (?, ?, ?, ?, ?, ?)", caches)
            for r, v in enumerate(rows[:50] if args.batches else [], 1):
                db.executemany("INSERT INTO batch (experiment, region, unit, batch, calls, width, exec_time, own_time,"
                               " mpi_time) VALUES (?, ?, ?, ?, 4, 4, ?, ?, ?)",
                               [(e, r, unit, b, v["exec_time"] / args.batches * rng.gauss(1, .02),
                                 v["own_time"] / args.batches, v["mpi_time"] / args.batches)
                                for b in range(args.batches)])
    db.execute("INSERT INTO cache SELECT id, 1, 32768, 4e-9 FROM node UNION ALL SELECT id, 2, 1048576, 2e-8 FROM node")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--units", default=[1, 256, 1024], type=lambda t: [int(n) for n in t.split(",")])
    parser.add_argument("--regions", default=200, type=int)
    parser.add_argument("--seed", default=1, type=int)
    parser.add_argument("--batches", default=0, type=int, help="of the first 50 regions on each unit")
    args = parser.parse_args()
    if os.path.exists(args.out):
        os.remove(args.out)
    db = sqlite3.connect(args.out)
    db.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + open(SCHEMA).read())
    with db:
        fill(db, args)
    db.execute("ANALYZE")
    db.commit()
    db.close()


if __name__ == "__main__":
    main()
