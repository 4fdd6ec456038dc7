#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Record the CPU time of ten programs of PETSc with 36 pairs of -ksp_type and -pc_type, for bandits.py.

usage: petsc.py FOLDER MINUTES OUT.jsonl [SEED]

FOLDER has the programs ex2, ex3, ex23, ex29, ex32, ex34, ex45, ex46, ex50 and ex66: src/ksp/ksp/tutorials of PETSc 3.18,
built with gcc -O2 $(pkg-config --cflags --libs petsc) -lmpi (Debian: libpetsc-real-dev, libopenmpi-dev). All pairs run in
rounds, each in an order of its own. A run is right if KSP reports convergence."""
import json, os, random, resource, sys, time

GRID = "-da_grid_x %d -da_grid_y %d"
PROGRAMS = {"ex2": "-m 100 -n 100", "ex3": "-m 100", "ex23": "-n 1000", "ex34": GRID % (23, 23) + " -da_grid_z 23",
            "ex45": GRID % (25, 25) + " -da_grid_z 25", **{p: GRID % (101, 101) for p in ("ex29", "ex32", "ex46", "ex50", "ex66")}}
KSP = "cg gmres bcgs minres tfqmr richardson".split()
PC = "none jacobi sor ilu icc gamg".split()


def run(folder, program, ksp, pc):
    words = [os.path.join(folder, program), *PROGRAMS[program].split(), "-ksp_type", ksp, "-pc_type", pc, "-ksp_max_it", "2000",
             "-ksp_converged_reason", "-ksp_view_final_residual"]
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(write, 1)
        os.dup2(write, 2)
        os.close(read)
        resource.setrlimit(resource.RLIMIT_CPU, (5, 6))
        os.execv(words[0], words)
    os.close(write)
    with os.fdopen(read, errors="replace") as stream:
        text = stream.read()
    _, status, usage = os.wait4(child, 0)
    return usage.ru_utime + usage.ru_stime, status == 0 and "Linear solve converged" in text


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    folder, end = sys.argv[1], time.time() + 60 * float(sys.argv[2])
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", OMPI_MCA_ess_singleton_isolated="1")
    with open(sys.argv[3], "a") as out:
        while time.time() < end:
            todo = [(p, k, c) for p in PROGRAMS for k in KSP for c in PC]
            rng.shuffle(todo)
            for program, ksp, pc in todo:
                if time.time() < end:
                    cpu, ok = run(folder, program, ksp, pc)
                    print(json.dumps({"program": program, "ksp": ksp, "pc": pc, "cpu": cpu, "ok": ok}), file=out, flush=True)


main()
