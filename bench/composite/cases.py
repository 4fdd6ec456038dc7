# SPDX-License-Identifier: BSD-3-Clause
"""cases.py: what is trained and what is held out.

A case has training sweeps (options of `mastermind sweep`, and the command behind --), and held-out runs (options of ccafe).
Sizes of the two axes of a mesh grow together: a sweep for each size. `work` is the work of a run by its variables as its
user knows it."""
import itertools
import os
import random

from experiments import call, script

UNIFORM = ["-D", "T_END=.2", "-D", "PICTURE="]
ADAPTIVE = ["-D", "LEVELS=3", "-D", "PATCH=16", "-D", "GHOSTS=GhostsPerNeighbour", "-D", "BALANCE=never", "-D", "T_END=.3", "-D", "PICTURE=",
            "-D", "STATES=States"]
SOLVER = ["-D", "TOLERANCE=1e-8"]


class Case:
    def __init__(self, name, work, train, held, directory=None):
        self.name, self.work, self.train, self.held, self.directory = name, work, train, held, directory


def mesh_work(v):
    """Cells times steps: the step is bounded by the finer axis, and the domain is 4 x 1."""
    return v["NX"] * v["NY"] * v["T_END"] * (v["NX"] / 4 + v["NY"])


def box(nx):
    return ["-D", "NX=%d" % nx, "-D", "NY=%d" % (nx // 4)]


def classes(**slots):
    return [word for slot, name in slots.items() for word in ("--class", "%s=%s" % (slot, name))]


def product(*lists):
    return [sum(parts, []) for parts in itertools.product(*lists)]


def uniform(name, sizes, asked, fluxes, patches):
    demo = script("shock-demo.rc")
    train = [(box(n) + ["--class", "flux=" + ",".join(fluxes), "-D", "PATCH=" + ",".join(map(str, patches))], ["ccafe", *UNIFORM, demo]) for n in sizes]
    held = product([box(n) for n in asked], [classes(flux=f) for f in fluxes], [["-D", "PATCH=%d" % p] for p in patches])
    return Case(name, mesh_work, train, [h + UNIFORM + [demo] for h in held])


def never_together(name, sizes, asked, dry=False):
    """GodunovFlux has run beside StatesRows alone, EFMFlux beside States; `dry`: and a run without work at the size asked for."""
    demo, common = script("shock-demo.rc"), [*UNIFORM, "-D", "PATCH=16"]
    pairs = [dict(flux="EFMFlux", states="States"), dict(flux="GodunovFlux", states="StatesRows")]
    train = [(box(n) + classes(**p), ["ccafe", *common, demo]) for n in sizes for p in pairs]
    if dry:
        train += [(box(n) + classes(flux="DryFlux", states="DryStates") + ["--repeat", "1"], ["ccafe", *common, demo]) for n in asked]
    crossed = [dict(flux="EFMFlux", states="StatesRows"), dict(flux="GodunovFlux", states="States")]
    return Case(name, mesh_work, train, [box(n) + classes(**p) + common + [demo] for n in asked for p in crossed])


def adaptive(name, sizes, asked, fluxes):
    """`sizes` has (NX, repeats): the work grows fourfold with the resolution, so the largest sizes run once."""
    amr = script("shock-amr.rc")
    train = [(box(n) + ["--class", "flux=" + ",".join(fluxes), "--repeat", str(again)], ["ccafe", *ADAPTIVE, amr]) for n, again in sizes]
    return Case(name, mesh_work, train, [box(n) + classes(flux=f) + ADAPTIVE + [amr] for n in asked for f in fluxes])


def repeats(sizes):
    """The two largest sizes run twice, the others three times: less than half of the work of a run of twice the size."""
    return [(sizes[:-2], 3), (sizes[-2:], 2)]


def solver(name, folder, sizes, asked):
    kinds = ["Jacobi", "SSOR", "IncompleteCholesky"]
    train = [(["-D", "N=" + ",".join(map(str, some)), "--class", "preconditioner=" + ",".join(kinds), "--repeat", str(again)],
              ["ccafe", *SOLVER, "-D", "MATRIX=CSRMatrix", "solver.rc"]) for some, again in repeats(sizes)]
    held = product([["-D", "N=%d" % n] for n in asked], [classes(preconditioner=k) for k in kinds])
    return Case(name, lambda v: v["N"] ** 3, train, [h + SOLVER + ["-D", "MATRIX=CSRMatrix", "solver.rc"] for h in held], folder)


def solver_never_together(name, folder, sizes, asked):
    """ELLMatrix has run beside Jacobi alone."""
    case = solver(name, folder, sizes, asked)
    case.train += [(["-D", "N=" + ",".join(map(str, some)), *classes(preconditioner="Jacobi", matrix="ELLMatrix"), "--repeat", str(again)],
                    ["ccafe", *SOLVER, "solver.rc"]) for some, again in repeats(sizes)]
    case.held = product([["-D", "N=%d" % n] for n in asked], [classes(preconditioner=k, matrix="ELLMatrix") for k in ("SSOR", "IncompleteCholesky")],
                        [SOLVER + ["solver.rc"]])
    return case


def growing(name, sizes, asked):
    demo, common = script("shock-demo.rc"), [*UNIFORM, "-D", "PATCH=0"]
    return Case(name, mesh_work, [(box(n) + classes(flux="EFMFlux"), ["ccafe", *common, demo]) for n in sizes],
                [box(n) + classes(flux="EFMFlux") + common + [demo] for n in asked])


def all_cases(folder, quick):
    """`folder`: for the solver's compiled components."""
    call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "solver", "build.sh"), folder])
    if quick:
        return [uniform("uniform, 2 x", (16, 24, 32, 64), (128,), ("EFMFlux", "HLLCFlux"), (16,)),
                never_together("class never beside", (16, 24, 32, 64), (128,)),
                adaptive("adaptive, 2 x", ((16, 3), (24, 1), (32, 1)), (64,), ("EFMFlux",)),
                solver("solver", folder, (24, 32, 48, 64), (40, 96))]
    fluxes = ("EFMFlux", "HLLCFlux", "GodunovFlux")
    return [uniform("uniform, 2 x", (32, 48, 64, 128), (256,), fluxes, (8, 16)),
            uniform("uniform, 4 x", (16, 24, 32, 48, 64), (256,), fluxes, (8, 16)),
            never_together("class never beside", (32, 48, 64, 128), (192, 256)),
            never_together("and a dry run", (32, 48, 64, 128), (256,), dry=True),
            adaptive("adaptive, 2 x", ((24, 3), (32, 3), (48, 1), (64, 1)), (96, 128), ("EFMFlux", "GodunovFlux")),
            solver("solver", folder, (32, 48, 64, 96, 128), (80, 112, 192, 256)),
            solver_never_together("solver, never beside", folder, (32, 48, 64, 96, 128), (112, 192, 256)),
            growing("one growing patch", (32, 48, 64, 96, 128), (192, 256))]


def small_runs(count, seed):
    """Three training sweeps of the same points, and `count` small runs with random parameters, inside the sizes trained and
    somewhat outside."""
    random_number, demo = random.Random(seed), script("shock-demo.rc")
    axes = ["-D", "NX=24,40,64,96", "-D", "NY=8,16,24", "-D", "PATCH=8,16,32", "-D", "T_END=.02,.05,.1", "--class", "flux=EFMFlux,HLLCFlux,GodunovFlux"]
    train = [(axes + ["--repeat", "1", "--seed", str(k + 1)], ["ccafe", "-D", "PICTURE=", demo]) for k in range(3)]
    held = []
    for i in range(count):
        beyond = i % 5 == 4  # one in five has an axis outside
        held.append(["-D", "NX=%d" % random_number.randint(24, 120 if beyond else 96), "-D", "NY=%d" % random_number.randint(8, 32 if beyond else 24),
                     "-D", "PATCH=%d" % random_number.randint(8, 32), "-D", "T_END=%.3f" % random_number.uniform(.02, .12 if beyond else .1),
                     *classes(flux=random_number.choice(("EFMFlux", "HLLCFlux", "GodunovFlux"))), "-D", "PICTURE=", demo])
    return Case("small runs", mesh_work, train, held)
