#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""svg_figure.py FIGURE DOCUMENT PARAMETER FILE...: check figures of `mastermind model --svg`.

All FILEs are XML whose numbers are finite and whose texts begin inside the picture. The first curve of FIGURE, read
by the ticks of its axes, has the typical cost of DOCUMENT, what `model --at --json` answers at PARAMETER.
"""
import json
import math
import re
import sys
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def check_file(path):
    text = open(path, encoding="utf-8").read()
    assert not re.search(r"\b(nan|inf)\b", text), path + ": a number is not finite"
    root = xml.fromstring(text)
    width, height = float(root.get("width")), float(root.get("height"))
    for panel in root.findall(SVG + "g"):
        left, top = map(float, re.findall(r"[\d.]+", panel.get("transform")))
        for element in panel.iter(SVG + "text"):
            if element.get("transform"):
                continue
            x, y = left + float(element.get("x")), top + float(element.get("y"))
            assert 0 <= x < width and 0 <= y < height, (path, element.text)
        curves = [p for p in panel.iter(SVG + "path") if p.get("stroke-width") == "2"]
        assert curves, path + ": no curve"
        assert len({c.get("stroke") + c.get("stroke-dasharray") for c in curves}) == len(curves)
    return root


def value_of(text):
    number, _, unit = text.replace(",", "").partition(" ")
    return float(number) * UNITS[unit or "ns"]


def scale_of(ticks):
    """From two ticks (pixel, value) to a function from values to pixels, logarithmic."""
    (p, a), (q, b) = ticks[0], ticks[-1]
    return lambda value: p + (q - p) * math.log(value / a) / math.log(b / a)


def check_curve(root, model, parameter):
    panel = root.find(SVG + "g")
    texts = [t for t in panel.findall(SVG + "text")]
    x = [(float(t.get("x")), value_of(t.text)) for t in texts
         if t.get("text-anchor") == "middle" and re.fullmatch(r"[\d.,e]+", t.text)]
    y = [(float(t.get("y")) - 4, value_of(t.text)) for t in texts if t.get("text-anchor") == "end"]
    at = scale_of(x)(model["estimate"]["at"][parameter])
    wanted = scale_of(y)(model["estimate"]["typical_ns"])
    curve = next(p for p in panel.iter(SVG + "path") if p.get("stroke-width") == "2").get("d")
    points = [tuple(map(float, p.split())) for p in re.split("[ML]", curve)[1:]]
    for (x0, y0), (x1, y1) in zip(points, points[1:]):
        if x0 <= at <= x1:
            found = y0 + (y1 - y0) * (at - x0) / (x1 - x0)
            assert abs(found - wanted) < 1.5, "the curve is %g pixels off" % (found - wanted)
            return
    sys.exit("the curve does not reach the point")


roots = {path: check_file(path) for path in sys.argv[4:]}
check_curve(check_file(sys.argv[1]), json.load(open(sys.argv[2]))["methods"][0]["models"][0], sys.argv[3])
assert len(roots) > 1
