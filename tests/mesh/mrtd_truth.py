#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What mrtd computes beside independent truth.

    mrtd_truth.py yee DUMP NX,NY,NZ STEPS COURANT WIDTH I,J,K
        DUMP (threshold 0, no layer that absorbs) against the scheme of Yee on the grid of half cells
    mrtd_truth.py mode NX,NY,NZ P,Q,R COURANT
        lines "watch" on standard input against the frequency of the mode in a closed form
    mrtd_truth.py limit NX,NY,NZ
        prints the largest stable time step of the box over sqrt(3) c dt = half a cell
    mrtd_truth.py near DUMP DUMP BOUND
        the largest difference of two dumps is above 0 and at most BOUND
"""
import array
import math
import sys


def numbers(text):
    return [int(x) for x in text.split(",")]


def dump(path):
    values = array.array("d")
    with open(path, "rb") as file:
        values.frombytes(file.read())
    return values


def source(step, courant, width):
    """The current of a dipole whose moment is a Gaussian pulse of length width, 3 widths from the start."""
    u = (step + .5) * .5 * courant / math.sqrt(3) / width - 3
    return -math.sqrt(2 * math.e) * u * math.exp(-u * u)


def yee(cells, steps, courant, width, place):
    """E and H of the plain scheme (Yee 1966), [field][component][half cell], 0 outside of the box."""
    n = [2 * c for c in cells]
    stride, size = [n[1] * n[2], n[2], 1], n[0] * n[1] * n[2]
    points = [(i, j, k) for i in range(n[0]) for j in range(n[1]) for k in range(n[2])]
    e, h = ([[0.0] * size for _ in range(3)] for _ in range(2))
    q = courant / math.sqrt(3)
    for step in range(steps):
        for to, by, side in ((h, e, 1), (e, h, -1)):
            for x in range(3):
                y, z = (x + 1) % 3, (x + 2) % 3
                end = [n[d] - 1 if side == 1 else 0 for d in range(3)]
                for c, p in enumerate(points):
                    dy = (0.0 if p[y] == end[y] else by[z][c + side * stride[y]]) - by[z][c]
                    dz = (0.0 if p[z] == end[z] else by[y][c + side * stride[z]]) - by[y][c]
                    to[x][c] -= q * (dy - dz)
        for d in range(8):
            e[2][sum((2 * place[a] + (d >> a & 1)) * stride[a] for a in range(3))] += source(step, courant, width)
    return [e, h], stride


def check_yee(path, cells, steps, courant, width, place):
    fields, stride = yee(cells, steps, courant, width, place)
    values, worst, largest = dump(path), 0.0, 0.0
    for c in range(cells[0] * cells[1] * cells[2]):
        at = (c // cells[2] // cells[1], c // cells[2] % cells[1], c % cells[2])
        for f in range(2):
            for x in range(3):
                own = values[48 * c + 24 * f + 8 * x:][:8]
                for d in range(8):
                    found = sum(own[m] * (-1) ** bin(m & d).count("1") for m in range(8))
                    wanted = fields[f][x][sum((2 * at[a] + (d >> a & 1)) * stride[a] for a in range(3))]
                    worst, largest = max(worst, abs(found - wanted)), max(largest, abs(wanted))
    print(f"largest value {largest:.3g}, largest difference {worst:.3g}")
    return largest > .1 and worst < 1e-13 * largest


def check_mode(cells, mode, courant):
    """cos(w dt) from three neighbouring values each; 2n + 1/2 half cells between the walls."""
    values = [[float(x) for x in line.split()[2:]] for line in sys.stdin if line.startswith("watch ")]
    x = max(range(3), key=lambda d: sum(abs(v[d]) for v in values))
    y = [v[x] for v in values]
    middle = range(1, len(y) - 1)
    found = sum((y[i + 1] + y[i - 1]) * y[i] for i in middle) / sum(2 * y[i] * y[i] for i in middle)
    k = [(mode[d] + .5) * math.pi / (2 * cells[d] + .5) for d in range(3)]
    q = courant / math.sqrt(3)
    wanted = 1 - 2 * q * q * sum(math.sin(a / 2) ** 2 for a in k)
    speed = math.acos(found) / q / math.sqrt(sum(a * a for a in k))
    print(f"cos(w dt) {found:.15f}, expected {wanted:.15f}; phase speed {speed:.4f} c")
    return len(y) > 50 and abs(found - wanted) < 1e-13 and .95 < speed < 1.0001


def limit(cells):
    """The fastest mode of the box has 2n - 1/2 half waves over 2n + 1/2 half cells."""
    waves = [(2 * c - .5) * math.pi / (2 * c + .5) for c in cells]
    print(f"{math.sqrt(3 / sum(math.sin(a / 2) ** 2 for a in waves)):.12f}")
    return True


def check_near(one, other, bound):
    worst = max(abs(a - b) for a, b in zip(dump(one), dump(other)))
    print(f"largest difference {worst:.3g}, expected above 0 and at most {bound}")
    return 0 < worst <= float(bound)


def main(verb, *words):
    if verb == "yee":
        return check_yee(words[0], numbers(words[1]), int(words[2]), float(words[3]), float(words[4]), numbers(words[5]))
    if verb == "mode":
        return check_mode(numbers(words[0]), numbers(words[1]), float(words[2]))
    if verb == "limit":
        return limit(numbers(words[0]))
    return check_near(*words)


sys.exit(0 if main(*sys.argv[1:]) else 1)
