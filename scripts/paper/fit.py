# SPDX-License-Identifier: BSD-3-Clause
"""Least squares with the functional forms of the paper's Equations 1 and 2."""
import math


def least_squares(columns, y, weights):
    """Coefficients that minimise the sum of (weight * residual)^2: modified Gram-Schmidt on scaled columns."""
    rows = range(len(y))
    scale = [max(abs(v) for v in c) or 1.0 for c in columns]
    basis = [[c[i] / s * weights[i] for i in rows] for c, s in zip(columns, scale)]
    right = [v * w for v, w in zip(y, weights)]
    n = len(columns)
    upper, parts = [[0.0] * n for _ in range(n)], [0.0] * n
    for k in range(n):
        upper[k][k] = math.sqrt(sum(v * v for v in basis[k])) or 1e-300
        basis[k] = [v / upper[k][k] for v in basis[k]]
        for j in range(k + 1, n):
            upper[k][j] = sum(a * b for a, b in zip(basis[k], basis[j]))
            basis[j] = [b - upper[k][j] * a for a, b in zip(basis[k], basis[j])]
        parts[k] = sum(a * b for a, b in zip(basis[k], right))
        right = [b - parts[k] * a for a, b in zip(basis[k], right)]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (parts[k] - sum(upper[k][j] * x[j] for j in range(k + 1, n))) / upper[k][k]
    return [v / s for v, s in zip(x, scale)]


def polynomial(q, y, degree, relative=True):
    """Coefficients c0 .. c_degree of y = c0 + c1 q + ...; residuals count relative to y, or as they are."""
    weights = [1 / v if relative else 1.0 for v in y]
    return least_squares([[v ** k for v in q] for k in range(degree + 1)], y, weights)


def power(q, y):
    """(a, b) of y = exp(a log q + b)."""
    x = [math.log(v) for v in q]
    b, a = least_squares([[1.0] * len(x), x], [math.log(v) for v in y], [1.0] * len(x))
    return a, b


def deviation(y, model):
    """Median relative distance."""
    return sorted(abs(m - v) / v for v, m in zip(y, model))[len(y) // 2]
