#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does a program that is recorded do what it does alone? Programs of the distribution and builds of public sources.

    battery.py [-o RESULTS] [-s SOURCES] [-m MODES] [NAME-PATTERN]...
    battery.py --print RESULTS

RESULTS  a file with a line of JSON for each run (battery.jsonl); runs that it has are not repeated
SOURCES  a folder with clones, OWNER+NAME each; without it programs.tsv alone is run
MODES    of functions, libraries, library, whole, children, regions (default: functions)

Each command runs alone and under mastermind: standard output, standard error, exit status and files that it leaves are
compared. If they differ, it runs alone once more: if these two differ as well, numbers are masked, or the run is excluded. --print makes the
table of Markdown of results. Exit 1: a run has changed."""
import argparse
import csv
import fnmatch
import hashlib
import json
import os
import re
import resource
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import inputs  # noqa: E402

MODES = {"functions": ["record", "--functions", "*", "--no-report"],
         "libraries": ["record", "--functions", "*,lib*/*", "--no-report"],
         "library": ["record", "--library", "*", "--no-report"],
         "children": ["record", "--functions", "*", "--children", "--no-report"],
         "regions": ["record", "--no-report"],
         "whole": []}
SOURCE_BUILDS = {
    "c": [("gcc", "-O0 -g"), ("gcc", "-O1 -fno-pie -no-pie"), ("gcc", "-O2 -s"), ("gcc", "-O3 -march=native"),
          ("clang", "-O0"), ("clang", "-O1 -g -fno-omit-frame-pointer"), ("clang", "-O2 -fno-pie -no-pie"), ("clang", "-O3 -s")],
    "c++": [("g++", "-O0 -g"), ("g++", "-O2 -fno-pie -no-pie"), ("g++", "-O3 -s"),
            ("clang++", "-O1"), ("clang++", "-O2 -g"), ("clang++", "-O3 -fno-pie -no-pie")],
    "fortran": [("gfortran", "-O0 -g"), ("gfortran", "-O1 -s"), ("gfortran", "-O2 -fno-pie -no-pie"), ("gfortran", "-O3 -march=native")]}
TIME_LIMIT_S = 120


def rows(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return list(csv.DictReader((line for line in file if not line.startswith("#")), delimiter="\t",
                                   quoting=csv.QUOTE_NONE))


def unwind_sizes(path):
    """{address: size} of the ranges of .eh_frame with addresses relative to their place (as compilers make them)."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:5] != b"\x7fELF\x02":
        return {}
    at, = struct.unpack_from("<Q", data, 0x28)
    count, names = struct.unpack_from("<HH", data, 0x3c)
    sections = [struct.unpack_from("<IIQQQQ", data, at + 64 * k) for k in range(count)]
    frame = next((s for s in sections if count and data[sections[names][4] + s[0]:].startswith(b".eh_frame\0")), None)
    found, place = {}, 0
    while frame and place + 8 < frame[5]:
        here = frame[4] + place
        length, cie = struct.unpack_from("<Ii", data, here)
        if length in (0, 0xffffffff):
            break
        if cie:
            begin, size = struct.unpack_from("<iI", data, here + 8)
            found[frame[3] + place + 8 + begin] = size
        place += length + 4
    return found


def symbol_sizes(path):
    """{address: size} of functions, by the full symbol table; empty: it has none."""
    out = subprocess.run(["nm", "-S", "--defined-only", path], capture_output=True, text=True, errors="replace", check=False).stdout
    return {int(a, 16): int(s, 16) for a, s in re.findall(r"^([0-9a-f]+) ([0-9a-f]+) [TtWi] ", out, re.M)}


def patched(program, cache):
    """Functions of 16 bytes and more: how many there are, how many are patched, reasons of the others."""
    table = None
    folder = os.path.join(cache, "mastermind", "entries")
    names = [os.path.join(folder, name) for name in (os.listdir(folder) if os.path.isdir(folder) else [])]
    for name in sorted(names, key=os.path.getmtime):
        with open(name, encoding="utf-8", errors="replace") as file:
            if file.readline().rstrip("\n").endswith(os.path.realpath(program)):
                table = [line.split(" ") for line in file]
    if not table:
        return None
    symbols = symbol_sizes(program)
    sizes = symbols or unwind_sizes(program)
    entries = {int(words[0], 16): words for words in table if re.fullmatch("[0-9a-f]+", words[0])}
    large = [a for a, size in sizes.items() if size >= 16]
    reasons = {}
    moved = 0
    for address in large:
        words = entries.get(address)
        if words and words[1] != "0":
            moved += 1
        else:
            reason = words[3].strip() if words and len(words) > 3 else "absent"
            reasons[reason] = reasons.get(reason, 0) + 1
    return {"functions": len(large), "patched": moved, "symbols": bool(symbols), "refused": reasons}


def leavings(folder):
    found = {}
    for root, folders, names in os.walk(folder):
        folders[:] = [f for f in folders if not f.endswith(".mm")]
        for name in names:
            path = os.path.join(root, name)
            if not os.path.islink(path) and os.path.isfile(path):
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()
    return found


def run(command, stdin, work, env):
    """A run in a fresh folder with links to the inputs: what it prints, how it ends, what it leaves, its CPU time."""
    folder = os.path.join(work, "run")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(os.path.join(work, "inputs"), folder, symlinks=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(stdin or os.devnull, "rb") as source:
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = subprocess.Popen(command, stdin=source, stdout=out, stderr=err, cwd=folder, env=env, start_new_session=True)
            try:
                status = child.wait(TIME_LIMIT_S)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, 9)
                child.wait()
                status = "timeout"
            out.seek(0)
            err.seek(0)
            result = {"out": out.read(), "err": err.read(), "status": status}
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    result["files"] = leavings(folder)
    result["cpu"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return result


def own_lines(text, whole):
    """Standard error without lines of mastermind."""
    text = re.sub(rb"(?:^|(?<=\r))(?:mastermind: |experiment \S+\.mm: ).*\n", b"", text, flags=re.M)
    text = re.sub(rb"^no (?:samples|times of functions): .*\n", b"", text, flags=re.M)
    if whole:
        text = re.sub(rb"(?:^|(?<=\n))[^\n]*: [\d.,]+ \S+ of CPU time in .*\Z", b"", text, flags=re.S)
    return text


def mask(run_, level):
    if not level:
        return run_
    return {**run_, "out": re.sub(rb"0x[0-9a-f]+|[0-9][0-9.e+-]*", b"N", run_["out"]),
            "err": re.sub(rb"0x[0-9a-f]+|[0-9][0-9.e+-]*", b"N", run_["err"]), "files": sorted(run_["files"])}


def difference(a, b, level):
    a, b = mask(a, level), mask(b, level)
    return [key for key in ("out", "err", "status", "files") if a[key] != b[key]]


def try_command(entry, modes, work, cache, results, done):
    """Run one command in the modes that are not done yet."""
    words = entry["words"]
    env = {**os.environ, "XDG_CACHE_HOME": cache, "LC_ALL": "C.UTF-8", "HOME": work, **entry.get("env", {})}
    missing = [mode for mode in modes if (entry["name"], mode) not in done]
    if not missing:
        return
    program = shutil.which(words[0])
    if not program:
        print(f"{entry['name']}: no {words[0]}", file=sys.stderr)
        return
    stdin = os.path.join(work, "inputs", entry["stdin"]) if entry["stdin"] else None
    plain, again, level = run(words, stdin, work, env), None, 0
    for mode in missing:
        kept = os.path.join(work, "kept.mm")
        shutil.rmtree(kept, ignore_errors=True)
        under = ["mastermind", *MODES[mode], *([] if mode == "whole" else ["-o", kept, "--"]), *words]
        found = run(under, stdin, work, env)
        found["own"] = found["err"]
        found["err"] = own_lines(found["err"], mode == "whole")
        if not again and difference(plain, found, 0):
            again = run(words, stdin, work, env)
            level = next((k for k in (0, 1) if not difference(plain, again, k)), None)
        record = {"name": entry["name"], "group": entry["group"], "mode": mode, "masked": level,
                  "plain_status": plain["status"], "plain_cpu": plain["cpu"]}
        if level is None or plain["status"] == "timeout":
            record["excluded"] = "timeout" if plain["status"] == "timeout" else ",".join(difference(plain, again, 1))
        else:
            record["changed"] = difference(plain, found, level)
            if record["changed"]:
                record["note"] = [found["status"], found["own"][-600:].decode("utf-8", "replace")]
            elif mode == "functions" and plain["cpu"] > .2:
                shutil.rmtree(kept, ignore_errors=True)
                record["cpu"] = run(under, stdin, work, env)["cpu"]
            lines = re.findall(rb"^mastermind: .*(?:cannot be recorded|is recorded|are recorded).*$", found["own"], re.M)
            record["words"] = [line.decode("utf-8", "replace") for line in lines]
            if mode == "functions":
                record["own"] = patched(program, cache)
        print(json.dumps(record), file=results, flush=True)
        if record.get("changed"):
            print(f"CHANGED {entry['name']} {mode}: {record['changed']} {record['note']}", file=sys.stderr)


def extract(clone, folder):
    """Write the files of the latest commit, except large ones that the clone lacks."""
    tree = subprocess.run(["git", "--git-dir", clone, "ls-tree", "-r", "-z", "HEAD"], stdout=subprocess.PIPE, check=True).stdout
    entries = [(about.split()[0], about.split()[2], os.path.join(folder, os.fsdecode(path))) for about, path in
               (line.split(b"\t", 1) for line in tree.split(b"\0") if line) if about.split()[1] == b"blob"]
    read = subprocess.run(["git", "--git-dir", clone, "cat-file", "--batch"], input=b"".join(name + b"\n" for _, name, _ in entries),
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    at = 0
    for mode, _, path in entries:
        end = read.index(b"\n", at)
        words, at = read[at:end].split(), end + 1
        if words[-1] == b"missing":
            continue
        data, at = read[at:at + int(words[2])], at + int(words[2]) + 1
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if mode == b"120000":
            os.symlink(os.fsdecode(data), path)
            continue
        with open(path, "wb") as file:
            file.write(data)
        if mode == b"100755":
            os.chmod(path, 0o755)


def prepare(source, sources, compiler, flags, work):
    """Build a source. Returns its folder, or None."""
    clone = next((p for p in (os.path.join(sources, source["repository"].replace("/", "+"), d) for d in ("repo", ".git", ""))
                  if os.path.exists(os.path.join(p, "HEAD"))), None)
    if not clone:
        return None
    folder = os.path.join(work, "build")
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    extract(clone, folder)
    env = {**os.environ, "CC": compiler, "FLAGS": flags, "IN": os.path.join(work, "inputs")}
    result = subprocess.run(["sh", "-ec", source["build"]], cwd=folder, env=env, capture_output=True, text=True, check=False)
    if result.returncode:
        print(f"{source['name']} {compiler} {flags}: not built: {result.stderr[-500:]}", file=sys.stderr)
        return None
    return folder


def entries_of_sources(sources, work, patterns, wanted):
    for source in rows("sources.tsv"):
        for compiler, flags in SOURCE_BUILDS[source["language"]]:
            if source["builds"] and not fnmatch.fnmatch(f"{compiler} {flags}", source["builds"]):
                continue
            names = [f"{source['name']} {compiler} {flags}" + (f" {k + 1}" if k else "")
                     for k in range(len(source["runs"].split(" ;; ")))]
            if not any(fnmatch.fnmatch(name, p) for name in names for p in patterns) or not wanted(names):
                continue
            folder = prepare(source, sources, compiler, flags, work)
            if not folder:
                continue
            for name, command in zip(names, source["runs"].split(" ;; ")):
                command, _, stdin = command.partition(" < ")
                yield {"name": name, "group": f"{compiler}", "stdin": stdin,
                       "words": [w.replace("{B}", folder) for w in shlex.split(command)]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", default="battery.jsonl")
    parser.add_argument("-s")
    parser.add_argument("-m", default="functions")
    parser.add_argument("--print", dest="table")
    parser.add_argument("patterns", nargs="*")
    options = parser.parse_args()
    if options.table:
        import table
        return table.show(options.table)
    modes = options.m.split(",")
    done = set()
    if os.path.exists(options.o):
        with open(options.o, encoding="utf-8") as file:
            done = {(r["name"], r["mode"]) for r in map(json.loads, file)}
    with tempfile.TemporaryDirectory() as work, open(options.o, "a", encoding="utf-8") as results:
        os.mkdir(os.path.join(work, "inputs"))
        inputs.make(os.path.join(work, "inputs"))
        cache = os.path.join(work, "cache")
        patterns = options.patterns or ["*"]
        for line in rows("programs.tsv"):
            name = f"{line['package']}: {line['command'][:70]}"
            if any(fnmatch.fnmatch(name, p) for p in patterns):
                try_command({"name": name, "group": "distribution", "words": shlex.split(line["command"]), "stdin": line["stdin"]},
                            modes, work, cache, results, done)
        if options.s:
            def is_wanted(names):
                return any((n, m) not in done for n in names for m in modes)

            for entry in entries_of_sources(options.s, work, patterns, is_wanted):
                try_command(entry, modes, work, cache, results, done)
    return 0


sys.exit(main())
