#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Diagrams of models: well formed; every element's name is there once; texts lie within their shapes and the page; steps
# do not overlap; the flow comes to each step from above. Measured here from the file, not by the code that places.
. "$(dirname "$0")/../lib/lib.sh"
examples=$root/examples/activity
draw() { # MODEL NAME...
    run 0 activity print "$1" --as svg -o m.svg
    python3 "$root/tests/activity/diagram.py" m.svg "${@:2}" || fail "the diagram of $1"
}
draw "$examples/sample.act" A1 A2 A4 SA1 SA2 Main "GV = 1;" "P = 3.14;" "[GV == 1]" "[GV == 0]" "[else]" \
    "cost FA1() = 121/P" "cost FSA2(pid)"
grep -q 'id="e351571381"' m.svg || fail "no id"
draw "$examples/lapw0.act" ETOTAL SFT Define_Total_Potential_VTOT Receive_I2 Output3 Send_I2
draw "$root/tests/activity/everything.act" A1 A10 S R S2 R2 W X B B2 D SA2 SA3 E G2 W3 C A7 W4 F1 SB1

# --- Names that are long, texts of other alphabets and of XML; C of somebody's; flows of many widths and depths
python3 - >wide.act <<'END'
import random
random.seed(2)
n = 0
def name():
    global n
    n += 1
    return "N%d%s" % (n, "x" * random.choice([0, 0, 5, 60]))
def body(depth, threads=False):
    out = []
    for _ in range(random.choice([0, 1, 1, 2, 3]) if depth < 5 else 1):
        k = random.choice([0, 1, 2, 3, 4, 8] if threads else range(9)) if depth < 5 else 8
        inner = lambda: body(depth + 1, threads or k == 5)
        if k == 0: out.append("if g > %d { %s }" % (n, inner()))
        elif k == 1: out.append("if g > 1 && g < 3 { %s } elif g == 2 { %s } else { %s }" % (inner(), inner(), inner()))
        elif k == 2: out.append("if g > 0 { %s } else { %s }" % (inner(), inner()))
        elif k == 3: out.append("loop i = 1..%d { %s }" % (n, inner()))
        elif k == 4: out.append("while g > 7 { %s }" % inner())
        elif k == 5: out.append("fork %s { branch { %s } branch { %s } branch { %s } }" % (name(), inner(), inner(), inner()))
        elif k == 6: out.append("send %s to g%%nproc bytes 8" % name())
        elif k == 7: out.append("recv %s from g%%nproc" % name())
        else: out.append("action %s cost %s do { if g > 1 { g = g + 1; } elif g < 0 { g = 2; } else { g = 3; } }"
                         % (name(), "+".join(["1.5*g"] * random.choice([1, 2, 30]))))
    return " ".join(out)
print('model wide\nstereotype K of action { text note = "a < b & \u00e4\u4e2d" }\nglobal long g = 1')
for a in ["Main"] + ["B%d" % i for i in range(5)]:
    print('activity %s { %s action %s <<K note = "<&\u00e4">> {{ if (g < 1 && g > 0) g = 2; }} }' % (a, body(0), name()))
END
draw wide.act
[ "$(grep -c 'class="step"' m.svg)" -gt 20 ] || fail "few steps"
if command -v xmllint >/dev/null; then
    xmllint --noout m.svg || fail "XML"
fi
printf 'model m\nactivity Main {\n}\n' >empty.act
draw empty.act Main
finish
