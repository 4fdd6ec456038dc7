# SPDX-License-Identifier: BSD-3-Clause
"""questions.py: what constants.py asks a build of the tree, and how answers are scored.

A question is a command that answers the same each time it is asked: of made-up samples, of kernels and runs that were
recorded once and are kept, and of tests, whose runs are made up. `Answers` has the answers of all questions to one build;
its scores are those of score.py, and errors and intervals of whole runs."""
import hashlib
import json
import os
import re
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "composite")]
import cases as composite_cases
import experiments
import score

MOST_SECONDS = 60  # of one answer; a number that makes one take longer is not asked further

# Tests by the room of the numbers that they are asked of: those of its subject that take less than four seconds.
TESTS = {
    "cost": ("analysis/mm_model", "analysis/mm_populations", "analysis/mm_sums", "analysis/mm_forms", "analysis/mm_outlier", "analysis/mm_ladder",
             "analysis/mm_decide", "analysis/mm_location", "analysis/mm_quantiles", "analysis/mm_nist", "analysis/mm_formula", "analysis/mm_evidence"),
    "counts": ("laws/mm_laws", "laws/mm_laws_runs", "analysis/mm_contexts", "analysis/mm_core", "analysis/mm_metric", "forecast/mm_cells",
               "forecast/mm_forecast_exact", "forecast/mm_forecast_classes", "forecast/mm_forecast_programs"),
    "forecast": ("analysis/mm_flow", "analysis/mm_choose", "analysis/mm_select", "forecast/mm_forecast_exact", "forecast/mm_forecast_classes",
                 "forecast/mm_forecast_intervals", "forecast/mm_forecast_programs", "assembly/mm_assembly"),
    "choice": ("analysis/mm_problem", "analysis/mm_choose", "analysis/mm_select", "assembly/mm_assembly"),
    "compare": ("diff/mm_diff",)}
# Runs that take longer than all others together are asked of numbers of these rooms alone.
LONG = {"uniform": {"counts", "forecast", "choice"}, "adaptive": {"counts", "forecast", "choice"}, "never beside": {"forecast", "choice"},
        "choose uniform": {"choice"}}


class Question:
    """`kind`: cases, real, runs, choices, verbs, search or tests. The answer is what `read` makes of the output, a text or a
    document; two answers are the same if they are equal."""

    def __init__(self, kind, name, words, read=None, directory=None):
        self.kind, self.name, self.words, self.directory = kind, name, words, directory
        self.rooms = None  # whose numbers it is asked of; None: all
        self.read = read or (lambda status, text: "%d\n%s" % (status, text))

    def ask(self, programs, environment):
        """(answer, CPU seconds); the answer of a program that was killed is the signal."""
        words = [w.replace("{O}", programs) for w in self.words]
        before = os.times()
        try:
            done = subprocess.run(words, cwd=self.directory, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=MOST_SECONDS, check=False)
            status, text = done.returncode, done.stdout.decode("utf-8", "replace") + (done.stderr.decode("utf-8", "replace") if done.returncode else "")
        except subprocess.TimeoutExpired:
            status, text = -24, ""
        after = os.times()
        seconds = after.children_user + after.children_system - before.children_user - before.children_system
        if status < 0 and self.kind != "tests":
            return "killed by signal %d" % -status, seconds
        try:
            return self.read(status, text), seconds
        except (ValueError, KeyError, TypeError) as error:
            return "no answer: %s" % error, seconds


# --- Samples ------------------------------------------------------------------------------------------
def import_case(case, experiment):
    words = ["mastermind", "import", "csv", os.path.join(case["path"], "samples.csv"), "--time", "t:" + case["unit"],
             "--params", score.quoted(case["parameters"])]
    experiments.call(words + (["--modes", score.quoted(case["modes"])] if case["modes"] else []) + ["-o", experiment])


def sample_questions(folder):
    """Two sets of synthetic cases, of the second, which has three times the noise, every other one, and the recorded kernels."""
    sets = (("easy", "generate.py", ["1"]), ("hard", "generate.py", ["2", "--harder", "3"]), ("recorded", "record.py", []))
    questions = []
    for name, maker, options in sets:
        made = os.path.join(folder, name)
        if not os.path.exists(made):
            words = [sys.executable, os.path.join(HERE, maker)] + options
            experiments.call(words[:3] + [made] + words[3:])
        for i, case in enumerate(score.read_cases([made], None)):
            if name == "hard" and i % 2:
                continue
            experiment = os.path.join(made, case["name"], "case.mm")
            if not os.path.exists(experiment):
                import_case(case, experiment)
            points = os.path.join(case["path"], "points.csv")
            read = lambda status, text, case=case: {"status": status, "typ": [list(a.values()) for a in score.parse(text, len(case["points"]))]}
            question = Question("real" if case["real"] else "cases", name + "/" + case["name"],
                                ["{O}/bin/mastermind", "predict", experiment, "--points", points, "--curve"], read)
            question.case = case
            questions.append(question)
            if i % 8 == 0:
                questions.append(Question("verbs", "model %s/%s" % (name, case["name"]), ["{O}/bin/mastermind", "model", experiment]))
    return questions


def score_samples(question, answer):
    """Scores of a case: those of score.py, and the share of fit_lo to fit_hi that have the true typical cost."""
    keys = ("typ", "mean", "sd", "lo", "hi", "fit_lo", "fit_hi", "beyond")
    lists = answer["typ"] if isinstance(answer, dict) else [[None] * len(keys)] * len(question.case["points"])
    answers = [dict(zip(keys, a)) for a in lists]
    scored = score.score_case(question.case, answers, "")
    inside = [a["fit_lo"] <= t["typ"] <= a["fit_hi"] for a, t in zip(answers, question.case["truth"]["points"])
              if t["set"] in score.SETS and a["fit_lo"] is not None and a["fit_hi"] is not None]
    scored["curve"] = (sum(inside), len(inside))
    return scored


# --- Runs -----------------------------------------------------------------------------------------------
def made_runs(folder):
    """Small cases of the benchmark of whole runs: (name, training directories, held-out experiments, slots offered)."""
    solver = os.path.join(folder, "solver-program")
    if not os.path.exists(solver):
        experiments.call([os.path.join(HERE, "..", "composite", "solver", "build.sh"), solver])
    c = composite_cases
    made = [c.uniform("uniform", (16, 24, 32, 64), (96, 128), ("EFMFlux", "HLLCFlux"), (16,)),
            c.never_together("never beside", (16, 24, 32, 64), (96,)),
            c.adaptive("adaptive", ((16, 3), (24, 2), (32, 1)), (48, 64), ("EFMFlux",)),
            c.solver("solver", solver, (24, 32, 48, 64), (40, 96)),
            c.solver_never_together("solver never beside", solver, (24, 32, 48, 64), (96,)),
            c.growing("growing", (16, 24, 32, 48), (64, 96))]
    for case in made:
        at = os.path.join(folder, "runs", case.name.replace(" ", "-"))
        os.makedirs(at, exist_ok=True)
        train = [os.path.join(at, "train-%02d" % i) for i in range(len(case.train))]
        for directory, (options, command) in zip(train, case.train):
            experiments.sweep(directory, options, command, case.directory or at)
        held = [[experiments.measure(os.path.join(at, "held-%02d-%d.mm" % (i, k)), options, case.directory or at) for k in range(3)]
                for i, options in enumerate(case.held)]
        yield case, train, held


def read_document(status, text):
    return {"status": status, "document": json.loads(text)}


def digest(status, text):
    return "%d %s" % (status, hashlib.sha256(text.encode()).hexdigest())


def run_questions(folder):
    predict = ["{O}/bin/mastermind", "predict"]
    questions, truth = [], {}
    for case, train, held in made_runs(folder):
        for runs in held[:1] if case.name == "uniform" else held[::2]:
            median = sorted(runs, key=lambda path: experiments.Run(path).total_ns)[1]
            name = case.name + " " + os.path.basename(median)
            question = Question("runs", name, predict + train + ["--against", median, "--metric", "CPU_TIME", "--json"], read_document)
            question.truth = experiments.Run(median).total_ns
            questions.append(question)
        if case.name not in ("uniform", "solver"):
            continue
        about = experiments.Run(held[-1][0])
        verbs = [["predict"] + train + ["--against", held[-1][0]]] if case.name == "solver" else []
        size = [w for n in ("NX", "NY", "N") if n in about.numbers for w in ("--set", "%s=%g" % (n, about.numbers[n]))]
        question = Question("choices", "choose " + case.name, ["{O}/bin/mastermind", "choose"] + train + size + ["--metric", "CPU_TIME", "--json"],
                            read_document)
        question.truth = [(r.classes, r.total_ns) for runs in held for r in map(experiments.Run, runs) if r.numbers == about.numbers]
        questions.append(question)
        one = [os.path.join(train[-1], f) for f in sorted(os.listdir(train[-1])) if f.endswith(".mm")]
        sides = ["--metric", "CPU_TIME", *held[0], "--", *held[1]]
        verbs += [["report", one[0]], ["graph", one[0]], ["graph", one[0], "--json"], ["model", *one], ["choose", *one], ["diff", *sides], ["diff", "--json", *sides],
                  ["diff", one[0], one[-1], "--", *held[0]], ["diff", "--series", *sum(held, [])]]
        questions += [Question("verbs", "%s %d %s" % (verb[0], i, case.name), ["{O}/bin/mastermind"] + verb, digest) for i, verb in enumerate(verbs)]
    return questions


def score_run(question, answer):
    """(error, half of the interval, whether it holds), relative; None where there is no answer."""
    document = answer["document"] if isinstance(answer, dict) else {}
    if document.get("total") is None or document.get("low") is None:
        return None
    total, low, high = (document[k] for k in ("total", "low", "high"))
    return abs(total / question.truth - 1), (high - low) / 2 / total, low <= question.truth <= high


def score_choice(question, answer):
    """What the choice takes beyond the best class that ran, relative; None where there is no choice."""
    choice = answer["document"].get("choice") if isinstance(answer, dict) else None
    times = {}
    for classes, total in question.truth:
        times.setdefault(tuple(classes.get(slot) for slot in choice or ()), []).append(total)
    taken = times.get(tuple((choice or {}).values()))
    return taken and statistics.median(taken) / min(map(statistics.median, times.values())) - 1


# --- All ---------------------------------------------------------------------------------------------------
def read_tests(status, text):
    """Cases that failed; a program that was killed has failed as a whole."""
    failed = sorted(set(re.findall(r"^\[  FAILED  \] (\w+)$", text, re.M)))
    return failed or (["killed by signal %d" % -status] if status < 0 else ["exit %d" % status] if status else [])


def read_search(_status, text):
    """Nodes of each kind of problem; the columns before have CPU time."""
    return re.findall(r"^(\S.*?)  +[\d.]+ +[\d.]+ +([\d.e+]+) +(\d+/\d+)", text, re.M)


def all_questions(folder, source):
    questions = sample_questions(folder) + run_questions(folder)
    questions.append(Question("search", "choice", ["{O}/bench/models/choice", "--seeds", "2"], read_search))
    for q in questions:
        for name, rooms in LONG.items():
            if q.kind in ("runs", "choices") and q.name.startswith(name):
                q.rooms = rooms
    for name in sorted(set(sum(TESTS.values(), ()))):
        test = Question("tests", name, ["{O}/tests/test_" + os.path.basename(name)], read_tests, source)
        test.rooms = {room for room, names in TESTS.items() if name in names}
        questions.append(test)
    return questions


def targets():
    return ["bin/mastermind", "bench/models/choice"] + ["tests/test_" + os.path.basename(name) for name in sorted(set(sum(TESTS.values(), ())))]
