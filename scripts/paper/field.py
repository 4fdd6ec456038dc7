# SPDX-License-Identifier: BSD-3-Clause
"""field.py OUT PHYSICS.out: what the physics run printed. Writes OUT/field.gp and OUT/field.json."""
import re
import sys

from table import markdown, write_values

IMAGE = re.compile(r"\w+: density (\S+) to (\S+) at time (\S+), (\d+) x (\d+) pixels in (\S+)")
LEVEL = re.compile(r"\s*(\d+)\s+(\d+)\s+(\d+)\s+([\d.]+) %\s+(\S+)$")


def main(out, path):
    text = open(path).read()
    images = [m.groups() for m in IMAGE.finditer(text)]
    # The first of two pictures is that nearest to the middle of the run.
    end = float(images[-1][2])
    first = min(images[:-1] or images, key=lambda i: abs(float(i[2]) - end / 3))
    last = images[-1]
    with open(out + "/field.gp", "w") as file:
        for name, image in ("first", first), ("last", last):
            file.write('%s = "%s"\n%s_least = %s\n%s_most = %s\n%s_time = %s\n'
                       % (name, image[5], name, image[0], name, image[1], name, image[2]))
        file.write("wide = %s\n" % last[3])
    levels = [m.groups() for m in map(LEVEL.match, text.splitlines()) if m]
    steps = re.search(r"steps\s+(\d+)\s+time\s+(\S+)\s+cells\s+(\d+) x (\d+)", text).groups()
    share = re.search(r"all levels: (\S+) cell updates, (\S+) %", text).groups()
    write_values(out + "/field.json", {
        "steps": int(steps[0]), "time": float(steps[1]), "nx": int(steps[2]), "ny": int(steps[3]),
        "updates": float(share[0]), "share": float(share[1]) / 100, "first_time": float(first[2]),
        "least": float(last[0]), "most": float(last[1]), "levels": len(levels),
        "table": markdown((">level", ">patches at the end", ">cells", ">share of the domain", ">cell updates"),
                          [(l[0], l[1], "{:,}".format(int(l[2])), l[3] + " %", "{:,.0f}".format(float(l[4]))) for l in levels])})


if __name__ == "__main__":
    main(*sys.argv[1:])
