#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""svg_graph.py PICTURE [GRAPH [WHOLE]]: check a document of `mastermind graph --svg`.

It is XML without scripts and references; numbers are finite; boxes, paths and texts lie inside the picture; boxes do not
overlap; each box and arrow has something to hover over. GRAPH is what `graph --json` says with the same --prune: calls,
shares and edges are the same, and the grey box has what of WHOLE, without --prune, is missing in GRAPH.
"""
import json
import re
import sys
import xml.etree.ElementTree as xml

SVG = "{http://www.w3.org/2000/svg}"
text = open(sys.argv[1], encoding="utf-8").read()
root = xml.fromstring(text)
assert not re.search(r"[ \"=(,]-?(nan|inf)\b", text), "a number is not finite"
assert not re.search(r"<script|href|url\(|@import|<image|on[a-z]+=\"", text), "not a document of its own"
width, height = float(root.get("width")), float(root.get("height"))
assert root.get("viewBox") == "0 0 %.0f %.0f" % (width, height)


def offset(element):
    found = re.fullmatch(r"translate\(([\d.]+) ([\d.]+)\)", element.get("transform", "translate(0 0)"))
    return float(found[1]), float(found[2])


def walk(element, x, y):
    dx, dy = offset(element)
    yield element, x + dx, y + dy
    for child in element:
        yield from walk(child, x + dx, y + dy)


def inside(x, y, what):
    assert 0 <= x <= width and 0 <= y <= height, (what, x, y, width, height)


def numbers(value):
    return [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", value)]


for element, x, y in walk(root, 0, 0):
    if element.tag == SVG + "text":
        inside(x + float(element.get("x")), y + float(element.get("y")), element.text)
    if element.tag == SVG + "path":
        at = numbers(element.get("d"))
        for i in range(0, len(at), 2):
            inside(x + at[i], y + at[i + 1], "path")
    if element.tag == SVG + "polygon":
        at = numbers(element.get("points"))
        for i in range(0, len(at), 2):
            inside(x + at[i], y + at[i + 1], "arrow")


def kind(element):
    return element.get("class", "").split()


def boxes(picture):
    for node, x, y in walk(picture, 0, 0):
        for rect in node.findall(SVG + "rect") if "node" in kind(node) else []:
            if "box" in kind(rect):
                size = [float(rect.get(k)) for k in ("x", "y", "width", "height")]
                yield node, [x + size[0], y + size[1]] + size[2:]


pictures = {p.get("id"): p for p in root.iter(SVG + "g") if "picture" in kind(p)}
assert pictures, "no picture"
ids = [e.get("id") for e in root.iter() if e.get("id")]
assert len(ids) == len(set(ids)), "an id stands twice"
for name, picture in pictures.items():
    found = list(boxes(picture))
    assert found, name + " is empty"
    for i, (node, (x, y, w, h)) in enumerate(found):
        inside(x, y, name)
        inside(x + w, y + h, name)
        for other, (a, b, c, d) in found[:i]:
            assert x + w <= a or a + c <= x or y + h <= b or b + d <= y, (node.get("id"), other.get("id"))
    for group in picture.iter(SVG + "g"):
        if {"node", "edge", "socket"} & set(kind(group)):
            assert group.find(SVG + "title").text, "nothing to hover over"

if len(sys.argv) == 2:
    sys.exit(0)


def title(group):
    return group.find(SVG + "title").text


def share_of(hover):
    return float(re.search(r"^exclusive .*?([\d.]+) %$", hover, re.M)[1])


def calls_of(hover):
    return int(re.search(r"^calls ([\d,]+)", hover, re.M)[1].replace(",", ""))


dual, graph = pictures["dual"], json.load(open(sys.argv[2]))
nodes = {title(n).split("\n")[0]: n for n in dual.iter(SVG + "g") if kind(n) == ["node"]}
methods = {v["id"]: v for v in graph["vertices"]}
for vertex in methods.values():  # bytes that a terminal would obey are written out
    vertex["name"] = re.sub(r"[\x00-\x1f]", lambda c: "\\x%02x" % ord(c[0]), vertex["name"])
assert set(nodes) == {v["name"] for v in methods.values()}, set(nodes) ^ {v["name"] for v in methods.values()}
total = 0
for vertex in methods.values():
    if not vertex["calls"]:
        continue
    hover = title(nodes[vertex["name"]])
    assert calls_of(hover) == vertex["calls"], hover
    assert abs(share_of(hover) - 100 * vertex["share"]) <= .051, (hover, vertex["share"])
    shown = [t.text for t in nodes[vertex["name"]].findall(SVG + "text") if t.text.endswith(" %")]
    assert abs(float(shown[0].split()[0]) - 100 * vertex["share"]) <= .51, (hover, shown)
    bar = [r for r in nodes[vertex["name"]].findall(SVG + "rect") if kind(r) == ["measured"]]
    rail = [r for r in nodes[vertex["name"]].findall(SVG + "rect") if kind(r) == ["rail"]]
    share = float(bar[0].get("width")) / float(rail[0].get("width"))
    assert abs(share - min(max(vertex["share"], 0), 1)) < 1e-3, (share, vertex["share"])
    total += float(shown[0].split()[0])

arrows = [title(e).split("\n") for e in dual.iter(SVG + "g") if "edge" in kind(e)]
found = {(a[0], a[1].strip().removeprefix("calls ")): calls_of("\n".join(a[2:])) for a in arrows if "cut methods" not in a[0] + a[1]}
wanted = {(methods[e["caller"]]["name"], methods[e["callee"]]["name"]): e["calls"] for e in graph["edges"]}
assert found == wanted, set(found.items()) ^ set(wanted.items())

rest = [n for n in dual.iter(SVG + "g") if kind(n) == ["node", "rest"]]
if len(sys.argv) > 3:
    cut = [v for v in json.load(open(sys.argv[3]))["vertices"] if v["id"] not in methods and v["calls"]]
    assert cut and len(rest) == 1
    hover = title(rest[0])
    assert int(hover.split()[0].replace(",", "")) == len(cut), hover
    assert calls_of(hover) == sum(v["calls"] for v in cut), hover
    assert abs(share_of(hover) - 100 * sum(v["share"] for v in cut)) <= .051, hover
    limit = float(re.search(r"^the rule allows (?:< )?([\d.]+) %", hover, re.M)[1])
    assert share_of(hover) <= limit + .051, hover
    total += share_of(hover)
else:
    assert not rest
assert abs(total - 100) < .06 * (len(methods) + 1), total
