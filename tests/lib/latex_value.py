#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""latex_value.py FILE: values of equations in LaTeX, as mm_formula_write_model writes them.

Lines of FILE are equations, "name = ...", and after each "at a=1 b=2" for its parameters. Prints the
value at each, in nanoseconds if the equation has units. Anything that is no such equation is an error.
"""
import math
import re
import sys

TOKEN = re.compile(r"""
    (?P<number>\d+(\.\d*)?(\s\\cdot\s10\^\{-?\d+\})?)
  | (?P<unit>\\,\s\\mathrm\{\\mu\ss\})
  | (?P<name>\\mathrm\{(?:[A-Za-z0-9]|\\_)+\}|[A-Za-z])
  | (?P<power>\^\{-?[0-9.e+-]+(/\d+)?\})
  | (?P<sign>\\log_2|\\max|\\cdot|\\,|[-+()\[\]>,{}])
  | (?P<blank>\s+)""", re.X)


def tokens(text):
    at, found = 0, []
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            sys.exit("latex_value: found '%s'" % text[at:])
        at = match.end()
        if match.lastgroup != "blank":
            found.append((match.lastgroup if not match.group("number") else "number", match.group()))
    return found + [("end", "")]


class Equation:
    def __init__(self, text, values):
        self.tokens, self.at, self.values = tokens(text), 0, values

    def peek(self):
        return self.tokens[self.at]

    def take(self, text):
        if self.peek()[1] != text:
            return False
        self.at += 1
        return True

    def need(self, text):
        if not self.take(text):
            sys.exit("latex_value: found '%s', expected '%s'" % (self.peek()[1], text))

    def power(self):
        kind, text = self.peek()
        if not text.startswith("^{"):
            return 1.0
        self.at += 1
        above, _, below = text[2:-1].partition("/")
        return float(above) / float(below or 1)

    def number(self, text):
        lead, _, exponent = text.partition(" \\cdot 10^{")
        return float(lead + ("e" + exponent[:-1] if exponent else ""))

    def atom(self):
        kind, text = self.peek()
        self.at += 1
        if kind == "number":
            value = self.number(text)
            if self.peek()[0] == "unit":
                self.at += 1
                value *= 1000
            return value
        if kind == "name":
            return self.values[text[8:-1].replace("\\_", "_") if len(text) > 1 else text]
        if text == "\\log_2":
            power = self.power()
            return math.log2(self.atom()) ** power
        if text == "\\max":
            self.need("(")
            zero = self.sum()
            self.need(",")
            value = max(zero, self.sum())
            self.need(")")
            return value
        if text == "[":
            left = self.sum()
            self.need(">")
            value = float(left > self.sum())
            self.need("]")
            return value
        if text in ("(", "{"):
            value = self.sum()
            self.need({"(": ")", "{": "}"}[text])
            return value
        sys.exit("latex_value: found '%s', expected a factor" % text)

    def factor(self):
        value = self.atom()
        return value ** self.power()

    def product(self):
        value = self.factor()
        while self.peek()[1] not in ("", "+", "-", ")", "]", "}", ">", ","):
            self.take("\\cdot") or self.take("\\,")
            value *= self.factor()
        return value

    def sum(self):
        value = -self.product() if self.take("-") else self.product()
        while self.peek()[1] in ("+", "-"):
            value += self.product() if self.take("+") else -self.product() if self.take("-") else 0
        return value


def main():
    equation = None
    for line in open(sys.argv[1]):
        if line.startswith("at "):
            values = {k: float(v) for k, v in (word.split("=") for word in line.split()[1:])}
            parsed = Equation(equation, values)
            print("%.17g" % parsed.sum())
            parsed.need("")
        else:
            equation = line.strip().partition(" = ")[2]


main()
