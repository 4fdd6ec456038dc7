# SPDX-License-Identifier: BSD-3-Clause
"""diagram.py FILE.svg NAME...: whether texts of a diagram of a model lie within their shapes, nothing overlaps, the flow
comes to each step, and each name is there once. Measured from the file."""
import re, sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
space = "{http://www.w3.org/2000/svg}"
page = [float(v) for v in root.get("viewBox").split()]
page = (page[0], page[1], page[0] + page[2], page[1] + page[3])
def outline(d): # the box around a path
    x = y = 0.0
    xs, ys = [], []
    for letter, numbers in re.findall(r"([MLlhvmz])([^MLlhvmz]*)", d):
        n = [float(v) for v in numbers.split()]
        if letter in "ML": x, y = n
        elif letter in "lm":
            x, y = x + n[0], y + n[1]
        elif letter == "h": x += n[0]
        elif letter == "v": y += n[0]
        xs.append(x); ys.append(y)
    return (min(xs), min(ys), max(xs), max(ys))
shapes, frames, texts, heads = [], [], [], []
for e in root.iter():
    c = e.get("class")
    if e.tag == space + "rect" and c:
        box = [float(e.get(k)) for k in ("x", "y", "width", "height")]
        box = (box[0], box[1], box[0] + box[2], box[1] + box[3])
        (shapes if c in ("step", "note") else frames if c in ("activity", "region") else []).append(box)
    elif e.tag == space + "path" and c in ("message", "choice"):
        shapes.append(outline(e.get("d")))
    elif e.tag == space + "path" and c == "flow arrow":
        m = [float(v) for v in re.findall(r"-?[\d.]+", e.get("d"))]
        heads.append((m[2], m[3]))
    elif e.tag == space + "text":
        x, y = float(e.get("x")), float(e.get("y"))
        texts.append((x, y - 10, x + 7.225 * len(e.text), y + 3, e.text)) # DejaVu Sans Mono of 12 pixels
def within(a, b): return a[0] >= b[0] - .2 and a[1] >= b[1] - .2 and a[2] <= b[2] + .2 and a[3] <= b[3] + .2
def apart(a, b): return a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
for t in texts:
    assert within(t, page), t
    for s in shapes:
        assert within(t, s) or apart(t, s), ("a text leaves its shape", t, s)
    for u in texts:
        assert u is t or apart(t, u), ("texts overlap", t, u)
    assert any(within(t, s) for s in shapes + frames), ("outside", t)
for i, s in enumerate(shapes):
    for other in shapes[:i]:
        assert apart(s, other), ("shapes overlap", s, other)
    for f in frames:
        assert within(s, f) or apart(s, f), ("a shape leaves its frame", s, f)
for i, f in enumerate(frames):
    for other in frames[:i]:
        assert within(f, other) or within(other, f) or apart(f, other), ("frames cut each other", f, other)
steps = [s for s in shapes[1:]]
for s in steps: # but the note
    middle = (s[1] + s[3])/2 # flows also join at the sides of a diamond
    assert any(abs(y - s[1]) < .2 and s[0] < x < s[2] or abs(y - middle) < .2 and x in (s[0], s[2]) for x, y in heads), \
        ("no flow to", s)
seen = [t[4] for t in texts]
for name in sys.argv[2:]:
    assert seen.count(name) == 1, (name, seen)
