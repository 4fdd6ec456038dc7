#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""constants.py: halve and double each tuning number of the rooms that model, and list what moves.

    constants.py [-o DIR] [--only FILE]... [--name NAME]... [--room ROOM]... [--with FILE:NAME=VALUE]... [--no-tests] [--table FILE] [--list] [--again]

Tuning numbers are `#define NAME number`, and enumerators with a number, in mastermind/{cost,counts,forecast,choice,compare}.
The tree is copied into DIR (default $O/bench/models/constants) with each of them rewritten into a look-up, and built once.
A number that sets a size (of an array, a case, a table that is made before main) cannot be looked up and is listed as one.
Then the questions of questions.py are asked at half and at double the number, where the number is read at all. All answers
are the same each time, so that any change is the number's. A share or level from 1/2 to 1 is moved by half and double its
distance to 1, a ratio from 1 to 2 by that of its distance to 1. Results are kept in DIR and go on where they ended, unless
the tree changed. Exit 0; 1: an answer is not the same when asked again; 2: misuse; 5: no build."""
import argparse
import collections
import filecmp
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import questions as asked
import score

ROOT = os.path.dirname(os.path.dirname(HERE))
ROOMS = ("cost", "counts", "forecast", "choice", "compare")
NUMBER = r"(?:0[xX][\d.a-fA-F]+(?:[pP][-+]?\d+)?|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)[uUlLfF]*"
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+((?:\\\n|[^\n])*)$", re.M)
ENUM = re.compile(r"^[ \t]*enum\s*\{([^}]*)\}\s*;", re.M)
COMMENT = re.compile(r"/\*.*?\*/", re.S)

# What a name means decides whether its number may move; these may not.
FIXED = {
    "PI": "mathematics", "ROUNDING": "mathematics", "MM_MAIN": "name", "MM_DROPPED": "name",
    "WITH_DRIVERS": "name", "WITH_DIVISORS": "name", "MM_CELL_THREAD": "name", "MM_CELL_LOST": "name", "MM_NO_KEY": "name", "MM_NO_LEVEL": "name",
    "MM_MODE_ANY": "name", "MM_MODE_OTHER": "name", "MM_FORECAST_LEVEL": "what an interval means", "MM_CALL_LEVEL": "what an interval means",
    "MM_FIT_LEVEL": "what an interval means", "MOST_COST": "range of int64_t", "MOST_SUM": "range of int64_t"}

HEADER = r"""#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#pragma GCC diagnostic error "-Wvla"
#ifndef MM_TUNE_H
#define MM_TUNE_H
__attribute__((weak)) double mm_tune_value[%(count)d] = {%(values)s};
__attribute__((weak)) unsigned char mm_tune_seen[%(count)d];
static inline double mm_tune(int i)
{
    mm_tune_seen[i] = 1;
    return mm_tune_value[i];
}
__attribute__((weak)) void mm_tune_write(void)
{
    const char *path = getenv("MM_TUNE_SEEN");
    FILE *file = path ? fopen(path, "a") : NULL;
    for (int i = 0; file && i < %(count)d; i++)
        if (mm_tune_seen[i])
            fprintf(file, "%%d\n", i);
    if (file)
        fclose(file);
}
__attribute__((weak, constructor)) void mm_tune_read(void)
{
    static int once;
    const char *set = getenv("MM_TUNE");
    if (once++)
        return;
    for (; set && *set; set = strchr(set, ',') ? strchr(set, ',') + 1 : NULL)
        mm_tune_value[atoi(set)] = atof(strchr(set, '=') + 1);
    atexit(mm_tune_write);
}
#endif
"""


class Number:
    def __init__(self, name, path, text, start, end, comment):
        self.name, self.path, self.text, self.start, self.end, self.comment = name, path, text, start, end, comment
        self.value = float(evaluate(text))
        self.is_real = bool(re.search(r"[.eE]", text)) and not text.lower().startswith("0x") or "p" in text
        self.kind = FIXED.get(name, "tuned")

    def key(self):
        return self.path + ":" + self.name

    def moved(self):
        """The number at half and at double, as far as it is a number of that kind."""
        v = self.value
        if self.is_real and .5 < v < 1:
            pair = 1 - 2 * (1 - v), 1 - (1 - v) / 2
            pair = (max(pair[0], .05), pair[1])
        elif self.is_real and 1 < v < 2:
            pair = 1 + (v - 1) / 2, 1 + 2 * (v - 1)
        else:
            pair = v / 2, 2 * v
        return pair if self.is_real else (float(int(pair[0])), float(int(pair[1])))


def evaluate(text):
    """The value of a number, a shift of numbers, or one in parentheses."""
    text = re.sub(r"(?<=[\da-fA-F.])[uUlL]+\b", "", text.replace("(int64_t)", "")).strip()
    shift = re.fullmatch(r"\(?\s*(\S+)\s*<<\s*(\d+)\s*\)?", text)
    if shift:
        return int(shift.group(1), 0) << int(shift.group(2))
    text = text.strip("() ")
    return float.fromhex(text) if re.match(r"-?0[xX].*[pP]", text) else int(text, 0) if re.fullmatch(r"-?\d+|0[xX][\da-fA-F]+", text) else float(text)


def is_number(text):
    return re.fullmatch(r"\(?\s*-?\s*" + NUMBER + r"\s*\)?|\(?\s*" + NUMBER + r"\s*<<\s*\d+\s*\)?|\(\(int64_t\)1 << \d+\)", text) is not None


def find_numbers(path, text):
    """The numbers of one file, in their order."""
    found = []
    for match in DEFINE.finditer(text):
        body = match.group(2)
        # A comment may go on in the next lines, without a backslash.
        after = text[match.start(2):]
        comment = COMMENT.search(after[:len(body) + 400]) if "/*" in body else None
        value = COMMENT.sub("", body.replace("\\\n", " "))
        value = re.sub(r"/\*.*", "", value, flags=re.S).strip()
        if is_number(value):
            found.append(Number(match.group(1), path, value, match.start(2), match.end(2), comment.group(0) if comment else ""))
    for match in ENUM.finditer(text):
        for one in re.finditer(r"\b([A-Z_0-9]+)\s*=\s*(" + NUMBER + r"(?:\s*<<\s*\d+)?)\s*(,|$|(?=/\*)|\n)", match.group(1)):
            found.append(Number(one.group(1), path, one.group(2), match.start(1) + one.start(), match.start(1) + one.end(2), "enum"))
    return found


def read_sources():
    paths = sorted(p for room in ROOMS for p in glob.glob(os.path.join(ROOT, "mastermind", room, "**", "*.[ch]"), recursive=True))
    sources = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            sources[os.path.relpath(path, ROOT)] = file.read()
    return sources


# --- The build with look-ups --------------------------------------------------------------------------------
def look_up(number):
    kind = "" if number.is_real else "(unsigned)" if "u" in number.text.lower() and "0x" not in number.text else "(int64_t)" if abs(number.value) > 2e9 else "(int)"
    return "(%smm_tune(%d))" % (kind, number.index)


def rewrite_enum(text, match, numbers):
    """Macros for the tuned enumerators, and an enum of the others; lines keep their numbers."""
    body = match.group(0)
    for n in numbers:
        body = re.sub(r"\b%s\s*=\s*%s\s*,?" % (n.name, re.escape(n.text)), "", body)
    if not re.search(r"\w", COMMENT.sub("", body[body.index("{"):])):
        body = "\n" * body.count("\n")
    line = text.count("\n", 0, match.start()) + 1
    return "".join("#define %s %s\n" % (n.name, look_up(n)) for n in numbers) + "#line %d\n" % line + body


def rewrite(text, numbers):
    """The file with tuned numbers looked up."""
    tuned = [n for n in numbers if n.kind == "tuned"]
    changes = []
    for n in tuned:
        if n.comment != "enum":
            body = text[n.start:n.end]
            at = body.index(n.text)
            changes.append((n.start, n.end, body[:at] + look_up(n) + body[at + len(n.text):]))
    for match in ENUM.finditer(text):
        own = [n for n in tuned if n.comment == "enum" and match.start() <= n.start < match.end()]
        if own:
            changes.append((match.start(), match.end(), rewrite_enum(text, match, own)))
    for start, end, words in sorted(changes, reverse=True):
        text = text[:start] + words + text[end:]
    return '#include "mm_tune.h" ' + text if tuned else text


def write_changed(path, text):
    try:
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    except FileNotFoundError:
        pass
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def copy_tree(tree, sources):
    names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    built = os.environ.get("O", os.path.join(ROOT, "build", "release"))
    for name in names.stdout.splitlines():
        source, to = os.path.join(ROOT, name), os.path.join(tree, name)
        if name in sources or not os.path.isfile(source):
            continue
        if not os.path.exists(to) or not filecmp.cmp(source, to, shallow=False):
            os.makedirs(os.path.dirname(to), exist_ok=True)
            shutil.copy2(source, to)
    if not os.path.exists(os.path.join(tree, "build")) and os.path.isdir(built):
        for part in ("obj", "gen", "lib", "bin", "share"):  # what is built and stays as it is
            if os.path.isdir(os.path.join(built, part)):
                shutil.copytree(os.path.join(built, part), os.path.join(tree, "build", "release", part), symlinks=True)


def blame(output, numbers, sources):
    """Numbers that stand in lines that did not compile: they set sizes."""
    sizes = set()
    for path, line in set(re.findall(r"^(?:\./)?([\w/.-]+?\.[ch]):(\d+):\d+: error:", output, re.M)):
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            whole = file.read()
        lines = whole.split("\n")
        for around in (0, 1, 3):  # a declaration may begin before the line
            words = set(re.findall(r"[A-Z]\w+", " ".join(lines[max(int(line) - 1 - around, 0):int(line) + around])))
            for _ in range(3):  # names that stand for others
                for text in (whole, *(t for p, t in sources.items() if p.endswith(".h"))):
                    for match in DEFINE.finditer(text):
                        if match.group(1) in words:
                            words |= set(re.findall(r"[A-Z]\w+", match.group(2).split("/*")[0]))
            own = {n for n in numbers if n.name in words and n.kind == "tuned" and (n.path == path or n.path.endswith(".h"))}
            if own:
                sizes |= own
                break
    return sizes


def build(folder, sources, numbers, options):
    tree = os.path.join(folder, "tree")
    copy_tree(tree, sources)
    made, kept = os.path.join(tree, "build", "release"), os.path.join(folder, "sizes.json")
    if os.path.exists(kept) and not options.again:
        with open(kept, encoding="utf-8") as file:
            known = set(json.load(file))
        for n in numbers:
            n.kind = "size" if n.key() in known and n.kind == "tuned" else n.kind
    for _ in range(30):
        count = len(numbers)
        values = ", ".join("%r" % n.value for n in numbers)
        write_changed(os.path.join(tree, "mm_tune.h"), HEADER % {"count": count, "values": values})
        for path, text in sources.items():
            os.makedirs(os.path.dirname(os.path.join(tree, path)), exist_ok=True)
            write_changed(os.path.join(tree, path), rewrite(text, [n for n in numbers if n.path == path]))
        words = ["make", "-k", "-j2", "O=build/release"] + ["build/release/" + t for t in asked.targets()]
        environment = {k: v for k, v in os.environ.items() if k not in ("O", "MAKEFLAGS")}
        done = subprocess.run(words, cwd=tree, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        with open(os.path.join(folder, "build.log"), "w", encoding="utf-8") as log:
            log.write(done.stdout)
        if not done.returncode:
            with open(kept, "w", encoding="utf-8") as file:
                json.dump([n.key() for n in numbers if n.kind == "size"], file)
            return made
        sizes = blame(done.stdout, numbers, sources)
        if not sizes:
            break
        for n in sizes:
            n.kind = "size"
        sys.stderr.write("constants.py: sizes: %s\n" % ", ".join(sorted(n.name for n in sizes)))
    sys.stderr.write("constants.py: no build: %s\n" % os.path.join(folder, "build.log"))
    sys.exit(5)


# --- Asking ----------------------------------------------------------------------------------------------------
def ask(question, made, folder, changes=()):
    """(answer, CPU seconds, numbers that were read), with changes (index, value)."""
    seen = os.path.join(folder, "seen")
    environment = {**os.environ, "MM_TUNE_SEEN": seen, "PATH": os.path.join(made, "bin") + os.pathsep + os.environ["PATH"],
                   "O": made, "CMOCKA_MESSAGE_OUTPUT": "stdout"}
    environment.pop("MM_LEDGER", None)
    environment["MM_TUNE"] = ",".join("%d=%r" % change for change in changes)
    if os.path.exists(seen):
        os.remove(seen)
    answer, seconds = question.ask(made, environment)
    read = set()
    if not changes and os.path.exists(seen):
        with open(seen, encoding="utf-8") as file:
            read = set(map(int, file.read().split()))
    return json.loads(json.dumps(answer)), seconds, read


class Base:
    """Answers of the tree as it is, the numbers that each question reads, and scores."""

    def __init__(self, questions, made, folder, kept):
        self.questions, self.answers, self.seconds, self.reads, self.unsteady, self.scored = [], {}, {}, {}, [], {}
        for q in questions:
            if q.name not in kept:
                answer, seconds, read = ask(q, made, folder)
                steady = q.kind == "tests" or ask(q, made, folder)[0] == answer
                kept[q.name] = answer, seconds, sorted(read), steady
            answer, seconds, read, steady = kept[q.name]
            if not steady:
                self.unsteady.append(q.name)
                continue
            self.questions.append(q)
            self.answers[q.name], self.seconds[q.name], self.reads[q.name] = answer, seconds, set(read)

    def scores(self, moved):
        """Scores of all answers, with those that moved."""
        answers = {**self.answers, **moved}
        of = lambda kind: [q for q in self.questions if q.kind == kind]
        samples = []
        for q in of("cases") + of("real"):
            if q.name not in self.scored:
                self.scored[q.name] = asked.score_samples(q, self.answers[q.name])
            samples.append(asked.score_samples(q, answers[q.name]) if q.name in moved else self.scored[q.name])
        total = score.summarise(samples)
        curve = [sum(s["curve"][i] for s in samples) for i in (0, 1)]
        runs = [asked.score_run(q, answers[q.name]) for q in of("runs")]
        known = [r for r in runs if r]
        regret = [asked.score_choice(q, answers[q.name]) for q in of("choices")]
        regret = [r for r in regret if r is not None]
        median = lambda values: 100 * score.median(values) if values else 0
        return {"INDEX": total["index_synthetic"], "real": total["index_real"], "sd-fac": total["sd_factor"], "covdev": total["covdev"],
                "curve": 100 * curve[0] / max(curve[1], 1), "regret": total["regret"], "runs": median([r[0] for r in known]),
                "half": median([r[1] for r in known]), "inside": "%d/%d" % (sum(r[2] for r in known), len(runs)),
                "choices": 100 * sum(regret) / max(len(regret), 1)}


def move(number, value, base, made, folder):
    """What moves with the number at `value`, tests aside."""
    moved, before, after = {}, 0.0, 0.0
    for q in base.questions:
        if number.index not in base.reads[q.name] or q.rooms and number.path.split("/")[1] not in q.rooms or q.kind == "tests":
            continue
        answer, seconds, _ = ask(q, made, folder, [(number.index, value)])
        before, after = before + base.seconds[q.name], after + seconds
        if answer != base.answers[q.name]:
            moved[q.name] = answer
        if seconds > 20 * max(base.seconds[q.name], .5):
            break
    kinds = collections.Counter(q.kind for q in base.questions if q.name in moved)
    killed = [n for n, a in moved.items() if isinstance(a, str) and a.startswith("killed")]
    return {"value": value, "moved": dict(kinds), "scores": base.scores(moved) if moved else None, "failed": [], "killed": killed,
            "cpu": after / before if before > .3 else None}


def is_test_of(question, number):
    return question.kind == "tests" and number.path.split("/")[1] in question.rooms


def fail_tests(members, side, base, made, folder, results):
    """Tests that fail with all members at half, or at double; halves of the members where some do, down to one."""
    failed, cases = collections.Counter(), set()
    for q in base.questions:
        changes = [(n.index, n.moved()[side]) for n in members if is_test_of(q, n) and n.index in base.reads[q.name]]
        answer = ask(q, made, folder, changes)[0] if changes else base.answers[q.name]
        if answer != base.answers[q.name]:
            failed["tests"] += 1
            cases |= set(answer) - set(base.answers[q.name])
    if not failed:
        return
    if len(members) == 1:
        of = results[members[0].key()][("half", "double")[side]]
        of["failed"], of["moved"]["tests"] = sorted(cases), failed["tests"]
        return
    middle = len(members) // 2
    fail_tests(members[:middle], side, base, made, folder, results)
    fail_tests(members[middle:], side, base, made, folder, results)


def move_together(changes, base, made, folder):
    """What moves with all of `changes`, (number, value), at once."""
    moved = {}
    for q in base.questions:
        if any(n.index in base.reads[q.name] for n, _ in changes):
            answer = ask(q, made, folder, [(n.index, v) for n, v in changes])[0]
            if answer != base.answers[q.name]:
                moved[q.name] = answer
    kinds = collections.Counter(q.kind for q in base.questions if q.name in moved)
    failed = sorted({c for q in base.questions if q.kind == "tests" and q.name in moved for c in moved[q.name]})
    return {"moved": dict(kinds), "scores": base.scores(moved), "failed": failed, "killed": [], "cpu": None}


def ask_tests(numbers, base, made, folder, kept, path):
    """Tests, of the numbers that move nothing else: of all of a folder together first."""
    groups = collections.defaultdict(list)
    for n in numbers:
        of = kept["numbers"][n.key()]
        if not of.get("tested") and of["read"] and not of["half"]["moved"] and not of["double"]["moved"]:
            groups[os.path.dirname(n.path)].append(n)
    for folder_of, members in groups.items():
        for side in (0, 1):
            fail_tests(members, side, base, made, folder, kept["numbers"])
        for n in members:
            kept["numbers"][n.key()]["tested"] = True
        save(path, kept)
        print("tests of %s: %d numbers" % (folder_of, len(members)), flush=True)


# --- The table ----------------------------------------------------------------------------------------------------
def shown(value):
    return "%.4g" % value


def words_of(result, base):
    """What moved, in a cell of the table."""
    if not result:
        return "not asked"
    parts, head, base = [], base, result.get("base", base)
    for name, value in (result["scores"] or {}).items():
        if isinstance(value, str) and value != base[name]:
            parts.append("%s %s" % (name, value))
        elif not isinstance(value, str) and value is not None and "%.3g" % value != "%.3g" % base[name]:
            parts.append("%s %.3g%s" % (name, value, "" if "%.3g" % base[name] == "%.3g" % head[name] else " (from %.3g)" % base[name]))
    unscored = sum(result["moved"].values()) if not parts else result["moved"].get("verbs", 0) + result["moved"].get("search", 0)
    if result["killed"]:
        parts.append("**killed: %d**" % len(result["killed"]))
    if result["failed"]:
        parts.append("fails %s%s" % (", ".join("`%s`" % f for f in result["failed"][:2]), " and %d more" % (len(result["failed"]) - 2) if len(result["failed"]) > 2 else ""))
    if unscored and not result["failed"]:
        parts.append("%d answers differ" % unscored)
    if result["cpu"] and not .75 < result["cpu"] < 1.33:
        parts.append("CPU x %.2g" % result["cpu"])
    return "; ".join(parts) or "-"


def verdict(number, results):
    if number.kind != "tuned":
        return number.kind
    both = [results.get(number.key(), {}).get(side) for side in ("half", "double")]
    if not all(both):
        return "not asked"
    if not results[number.key()]["read"]:
        return "never read"
    if not any(b["moved"] for b in both):
        return "moves nothing"
    return ""


def write_table(path, numbers, results, base, about):
    lines = ["# Tuning numbers, at half and at double", "",
             "Made by `bench/models/constants.py`, which says how; [README.md](README.md) has the cases. Each number of the rooms that model was",
             "halved and doubled, alone. Nothing here is random: what has `-` gave the same bytes on all questions.", "",
             about, "",
             "Columns: `read`, of how many questions the program read the number; then what the scores became. As the tree is: "
             + ", ".join("%s %s" % (k, v if isinstance(v, str) else "%.3g" % v) for k, v in base.items()) + ".", "",
             "- `INDEX`, `real`: of the synthetic cases and of the recorded kernels; `sd-fac`, `covdev`, `regret` as there;",
             "  `curve`: percent of true typical costs inside 90 % intervals of the curve.",
             "- `runs`: median error of whole runs, percent; `half`: median half-width of their 90 % intervals; `inside`: how many hold;",
             "  `choices`: mean regret of choices, percent.",
             "- `fails`: cases of tests that then fail, asked where nothing else moves: of all such numbers of a folder together, then of",
             "  halves of them where some fail; `n answers differ`: without a score that moves by three digits.",
             "- `(from ...)`: runs of this row were recorded at another time, with other scores as the tree is.",
             "- `CPU x`: CPU time of the questions that read the number, where it differs by a third.", ""]
    room = None
    for n in numbers:
        if os.path.dirname(n.path) != room:
            room = os.path.dirname(n.path)
            lines += ["", "## " + room, "", "| number | file | value | read | half | at half | double | at double | |", "|---|---|---|---|---|---|---|---|---|"]
        r = results.get(n.key(), {})
        cells = ["`%s`" % n.name, os.path.basename(n.path), n.text]
        if n.kind == "tuned":
            cells += [str(r.get("read", "")), shown(n.moved()[0]), words_of(r.get("half"), base), shown(n.moved()[1]), words_of(r.get("double"), base)]
        else:
            cells += [""] * 5
        lines.append("| %s | %s |" % (" | ".join(cells), verdict(n, results)))
    again = collections.defaultdict(list)
    for n in numbers:
        again[n.name].append(n)
    lines += ["", "## Names defined more than once", "", "| name | files and values |", "|---|---|"]
    lines += ["| `%s` | %s |" % (name, ", ".join("%s %s" % (n.path.replace("mastermind/", ""), n.text) for n in ns)) for name, ns in sorted(again.items()) if len(ns) > 1]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


# --- Main ---------------------------------------------------------------------------------------------------------
def parse_options():
    parser = argparse.ArgumentParser(description="halve and double each tuning number")
    parser.add_argument("-o", dest="folder", default=os.path.join(os.environ.get("O", os.path.join(ROOT, "build", "release")), "bench", "models", "constants"))
    parser.add_argument("--only", action="append", default=[], metavar="FILE", help="numbers of this file; may be repeated")
    parser.add_argument("--name", action="append", default=[], help="numbers of this name; may be repeated")
    parser.add_argument("--room", action="append", default=[], help="numbers below mastermind/ROOM; may be repeated")
    parser.add_argument("--with", dest="changes", action="append", default=[], metavar="FILE:NAME=VALUE",
                        help="ask all questions and tests with these values, together, and print what moves")
    parser.add_argument("--no-tests", action="store_true", help="ask no tests")
    parser.add_argument("--table", help="write the table there")
    parser.add_argument("--list", action="store_true", help="list the numbers, and build nothing")
    parser.add_argument("--again", action="store_true", help="forget the results that are kept")
    return parser.parse_args()


def chosen(number, options):
    return (not options.only or any(number.path.endswith(f) for f in options.only)) and (not options.name or number.name in options.name) \
        and (not options.room or any(number.path.startswith("mastermind/" + r + "/") for r in options.room))


def load_results(path, tree, again):
    if os.path.exists(path) and not again:
        with open(path, encoding="utf-8") as file:
            kept = json.load(file)
        if kept["tree"] == tree:
            return kept
    return {"tree": tree, "base": {}, "numbers": {}}


def save(path, kept):
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(kept, file)
    os.replace(path + ".new", path)


def report(number, result, scores):
    print("%-45s %-20s %-8s | %s | %s" % (number.path[11:], number.name, number.text, words_of(result["half"], scores), words_of(result["double"], scores)), flush=True)


def main():
    options = parse_options()
    folder, sources = os.path.abspath(options.folder), read_sources()
    numbers = [n for path, text in sources.items() for n in find_numbers(path, text)]
    for i, n in enumerate(numbers):
        n.index = i
    if options.list:
        for n in numbers:
            print("%-50s %-22s %-22s %s" % (n.path, n.name, n.text, n.kind if n.kind != "tuned" else "%s %s" % tuple(map(shown, n.moved()))))
        return 0
    os.makedirs(folder, exist_ok=True)
    made = build(folder, sources, numbers, options)
    kept_path = os.path.join(folder, "results.json")
    kept = load_results(kept_path, hashlib.sha256("".join(sources.values()).encode()).hexdigest(), options.again)
    base = Base(asked.all_questions(folder, os.path.join(folder, "tree")), made, folder, kept["base"])
    scores = base.scores({})
    if not options.changes:
        save(kept_path, kept)
    print("%d questions; %s" % (len(base.questions), ", ".join("%s %s" % (k, v if isinstance(v, str) else "%.3g" % v) for k, v in scores.items())))
    for name in base.unsteady:
        sys.stderr.write("constants.py: another answer each time, left out: %s\n" % name)
    if options.changes:
        changes = [(n, float(c.split("=")[1])) for c in options.changes for n in numbers if n.key().endswith(c.split("=")[0]) and n.kind == "tuned"]
        print("%s: %s" % (", ".join("%s=%g" % (n.key(), v) for n, v in changes), words_of(move_together(changes, base, made, folder), scores)))
        return 0
    tuned = [n for n in numbers if n.kind == "tuned" and chosen(n, options)]
    for n in tuned:
        if "double" in kept["numbers"].get(n.key(), {}):
            continue
        of = kept["numbers"].setdefault(n.key(), {})
        of["read"] = sum(n.index in r for r in base.reads.values())
        for side, value in zip(("half", "double"), n.moved()):
            of[side] = {**move(n, value, base, made, folder), "base": scores}
        report(n, of, scores)
        save(kept_path, kept)
    if not options.no_tests:
        ask_tests(tuned, base, made, folder, kept, kept_path)
    if options.table:
        tuned = [n for n in numbers if n.kind == "tuned"]
        quiet = [n for n in tuned if verdict(n, kept["numbers"]) in ("moves nothing", "never read")]
        about = "%d numbers: %d tuned, %d sizes, %d fixed by what they mean. %d of the tuned move nothing at half and at double, on %d questions." % (
            len(numbers), len(tuned), sum(n.kind == "size" for n in numbers), sum(n.kind not in ("size", "tuned") for n in numbers), len(quiet), len(base.questions))
        write_table(options.table, numbers, kept["numbers"], scores, about)
    return 1 if base.unsteady else 0


if __name__ == "__main__":
    sys.exit(main())
