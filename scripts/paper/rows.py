# SPDX-License-Identifier: BSD-3-Clause
"""Rows of experiments, as `mastermind records --csv` prints them."""
import csv


class Row:
    """One invocation. Times in us; a number that is missing is None."""

    def __init__(self, rank, number, caller, method, class_name, start, wall, mpi, cpu, values):
        self.rank, self.number, self.caller, self.method, self.class_name = rank, number, caller, method, class_name
        self.start, self.wall, self.mpi, self.cpu, self.values = start, wall, mpi, cpu, values

    def __getitem__(self, name):
        return self.values.get(name)


def number(text):
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        return float(text)


def rows(path, methods):
    """The invocations of `methods` (of any instance), in the order of the file."""
    with open(path, newline="") as file:
        reader = csv.reader(file)
        at = {name: k for k, name in enumerate(next(reader))}
        values = {name.split(".", 1)[1]: k for name, k in at.items() if name[:2] in ("p.", "o.")}
        for line in reader:
            if line[at["method"]] not in methods or line[at["status"]] != "done":
                continue
            time = [number(line[at[name]]) for name in ("start_ns", "wall_ns", "mpi_ns", "cpu_ns")]
            start, wall, mpi, cpu = [None if t is None else t / 1e3 for t in time]
            yield Row(int(line[at["rank"]]), int(line[at["invocation"]]), number(line[at["caller"]]),
                      line[at["method"]], line[at["class"]], start, wall, mpi, cpu,
                      {name: number(line[k]) if line[k].lstrip("-")[:1].isdigit() else line[k]
                       for name, k in values.items() if line[k]})
