#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The conjugate gradient solver of bench/composite: all pairs of preconditioner and matrix find the solution of a
# direct solver, the iterations of the plain method, and calls that follow from the iterations.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "its own compiler calls do not link sanitizers"
command -v gfortran >/dev/null || skip "no gfortran"
run 0 "$root/bench/composite/solver/build.sh" "$dir/solver"
cd solver || exit 1

# The same problem, written anew: u in the middle by elimination; iterations with Jacobi's preconditioner.
cat >truth.py <<'END'
import math, sys
grid, h = int(sys.argv[1]), 1 / (int(sys.argv[1]) + 1)
k = lambda x, y: math.exp(math.sin(2 * math.pi * x) * math.cos(2 * math.pi * y))
points = [(i, j) for j in range(grid) for i in range(grid)]
place = {point: row for row, point in enumerate(points)}
A = [[0.0] * len(points) for _ in points]
for (i, j), row in place.items():
    for di, dj in (1, 0), (-1, 0), (0, 1), (0, -1):
        a = k((i + 1 + di / 2) * h, (j + 1 + dj / 2) * h)
        A[row][row] += a
        if (i + di, j + dj) in place:
            A[row][place[i + di, j + dj]] -= a
b = [h * h] * len(points)

dot = lambda a, c: math.fsum(p * q for p, q in zip(a, c))
inverse = [1 / A[i][i] for i in range(len(b))]
x, r, p, rz, count = [0.0] * len(b), b[:], [0.0] * len(b), 0.0, 0
while dot(r, r) > 1e-16 * dot(b, b):
    z = [d * e for d, e in zip(inverse, r)]
    before, rz = rz, dot(r, z)
    p = [e + (rz / before if before else 0) * d for e, d in zip(z, p)]
    q = [dot(row, p) for row in A]
    step = rz / dot(p, q)
    x = [e + step * d for e, d in zip(x, p)]
    r = [e - step * d for e, d in zip(r, q)]
    count += 1

for i in range(len(b)):
    for row in range(i + 1, min(i + grid + 1, len(b))):
        factor = A[row][i] / A[i][i]
        if factor:
            A[row] = [e - factor * d for e, d in zip(A[row], A[i])]
            b[row] -= factor * b[i]
u = [0.0] * len(b)
for i in reversed(range(len(b))):
    u[i] = (b[i] - sum(A[i][c] * u[c] for c in range(i + 1, len(b)))) / A[i][i]
print(count, repr(u[place[grid // 2, grid // 2]]))
END
read -r iterations middle <<<"$(python3 truth.py 10)"

for preconditioner in Jacobi SSOR IncompleteCholesky; do
    for matrix in CSRMatrix ELLMatrix; do
        name=$preconditioner.$matrix
        run 0 ccafe --measure -o $name.mm -D N=10 -D PRECONDITIONER=$preconditioner -D MATRIX=$matrix -D TOLERANCE=1e-8 solver.rc
        read -r found u <<<"$(sed -n 's/^grid 10 x 10: \([0-9]*\) iterations, residual .*, u in the middle \(.*\)/\1 \2/p' out)"
        python3 -c "import sys; sys.exit(not abs($u - $middle) < 1e-7 * $middle)" || fail "$name: found $u, expected $middle"
        [ $preconditioner != Jacobi ] || equal "iterations of $name" "$iterations" "$found"
        [ $preconditioner = Jacobi ] || [ "$found" -lt "$iterations" ] || fail "$name takes $found iterations, Jacobi $iterations"
        for slot in matrix preconditioner; do
            equal "calls of $slot.apply, $name" "$found" "$(mastermind records $name.mm | grep -c ",$slot,$slot,apply,")"
        done
        for port in matrix.load preconditioner.setup solver.solve; do
            equal "calls of $port, $name" 1 "$(mastermind records $name.mm | grep -c ",${port%.*},${port%.*},${port#*.},")"
        done
    done
done
# On one point the factor is the matrix: one step ends it.
expect 0 'grid 1 x 1: 1 iterations' ccafe -D N=1 -D PRECONDITIONER=IncompleteCholesky -D MATRIX=CSRMatrix -D TOLERANCE=1e-8 solver.rc
expect 2 'omega' ccafe --set preconditioner.config.omega=2 -D N=4 -D PRECONDITIONER=SSOR -D MATRIX=CSRMatrix -D TOLERANCE=1e-8 solver.rc
finish
