# SPDX-License-Identifier: BSD-3-Clause
"""peers.py: other ways to model the same samples, written fresh from published descriptions.

  starpu         a n^b + c by c bisected for the straightest log-log line, as StarPU's non-linear regression describes it
  loglog         a n^b, least squares on the logarithms of the samples
  pmnf           PMNF one-term search, as Extra-P describes it: per-point median, constant or c0 + c1 x^i log2(x)^j out of 43
                 pairs (i, j), four of them negative, least squares, chosen by leave-one-out SMAPE; several parameters by the
                 best single terms and their sum and product, chosen by SMAPE
  pmnf-mean      the same with the per-point mean
  pmnf-refining  PMNF refined by Stern-Brocot mediants, per-point median, as Extra-P's refining modeller is described
  extrap         the package `extrap` where Python can import it

All get each combination of modes as a data set of its own, which their users would have to separate by hand. A predictor
takes (columns, times, points) and returns (typ, sd) for each point; sd may be None."""
import math
import statistics

FRACTIONS = (0, 1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 4, 4 / 5, 1, 5 / 4, 4 / 3, 3 / 2, 5 / 3, 7 / 4, 2, 9 / 4, 7 / 3, 5 / 2, 8 / 3, 11 / 4, 3)
NO_LOGS = (1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 4, 4 / 5, 1, 5 / 4, 4 / 3, 3 / 2, 5 / 3, 7 / 4, 2, 9 / 4, 7 / 3, 5 / 2, 8 / 3, 11 / 4, 3)
# The pairs: every exponent alone; with one logarithm and with two, those exponents that programs have.
PAIRS = ([(i, 0) for i in NO_LOGS] + [(i, 1) for i in (0, 1 / 4, 1 / 2, 3 / 4, 1, 5 / 4, 3 / 2, 2, 5 / 2, 3)] +
         [(i, 2) for i in (0, 1 / 4, 1 / 2, 3 / 4, 1, 5 / 4, 3 / 2, 2, 5 / 2, 3)] + [(-i, 0) for i in (1 / 4, 1 / 2, 3 / 4, 1)])


def grouped(xs, ts, middle):
    """The distinct tuples of parameters, sorted, with the middle and the sd of their times."""
    groups = {}
    for x, t in zip(xs, ts):
        groups.setdefault(x, []).append(t)
    keys = sorted(groups)
    return keys, [middle(groups[k]) for k in keys], [statistics.stdev(groups[k]) if len(groups[k]) > 1 else None for k in keys]


def line(us, vs):
    """Least squares of v = a + b u: (a, b, leverage of each)."""
    n, mean_u, mean_v = len(us), statistics.fmean(us), statistics.fmean(vs)
    suu = sum((u - mean_u) ** 2 for u in us)
    if suu <= 0:
        return mean_v, 0.0, [1 / n] * n
    b = sum((u - mean_u) * (v - mean_v) for u, v in zip(us, vs)) / suu
    return mean_v - b * mean_u, b, [1 / n + (u - mean_u) ** 2 / suu for u in us]


def solve(rows, values):
    """Least squares by normal equations on scaled columns, with a pivot; None where columns depend."""
    k = len(rows[0])
    scale = [max(abs(r[j]) for r in rows) or 1.0 for j in range(k)]
    a = [[sum(r[i] * r[j] for r in rows) / scale[i] / scale[j] for j in range(k)] +
         [sum(r[i] * v for r, v in zip(rows, values)) / scale[i]] for i in range(k)]
    for i in range(k):
        p = max(range(i, k), key=lambda r: abs(a[r][i]))
        if abs(a[p][i]) < 1e-12 * len(rows):
            return None
        a[i], a[p] = a[p], a[i]
        for r in range(k):
            if r != i:
                f = a[r][i] / a[i][i]
                a[r] = [x - f * y for x, y in zip(a[r], a[i])]
    return [a[i][k] / a[i][i] / scale[i] for i in range(k)]


def smape(actual, predicted):
    total = 0.0
    for a, p in zip(actual, predicted):
        both = abs(a) + abs(p)
        total += 2 * abs(a - p) / both if both else 0
    return 100 * total / len(actual)


def term(i, j):
    if j:
        return lambda x: x ** i * math.log2(x) ** j
    return lambda x: x ** i


class Best:
    """The best hypothesis in one parameter: constant, or c0 + c1 * f(x)."""

    def __init__(self, xs, vs):
        n = len(xs)
        mean = statistics.fmean(vs)
        self.xs, self.vs = xs, vs
        self.f, self.c0, self.c1 = None, mean, 0.0
        self.constant = smape(vs, [(mean * n - v) / (n - 1) for v in vs]) if n > 1 else math.inf
        self.score = self.constant

    def fit(self, f):
        """(score, c0, c1) of a term."""
        try:
            us = [f(x) for x in self.xs]
        except (ValueError, OverflowError, ZeroDivisionError):
            return None
        if len(us) < 3 or max(us) <= min(us):
            return None
        c0, c1, leverage = line(us, self.vs)
        out = [v - (v - c0 - c1 * u) / max(1 - h, 1e-9) for u, v, h in zip(us, self.vs, leverage)]
        return smape(self.vs, out), c0, c1

    def take(self, f):
        found = self.fit(f)
        if found and found[0] < self.score:
            self.score, self.c0, self.c1 = found
            self.f = f

    def at(self, x):
        return self.c0 + (self.c1 * self.f(x) if self.f else 0)


def search(xs, vs):
    best = Best(xs, vs)
    for i, j in PAIRS:
        if j == 0 or min(xs) >= 1:
            best.take(term(i, j))
    return best


def refine(xs, vs):
    """Whole exponents 0..5 per number of logarithms, each refined by mediants; a refinement must be 1.5 times better, a term
    1.3 times better than the constant."""
    best = Best(xs, vs)
    found = (best.score / 1.3, None)
    for logs in (0, 1, 2):
        if logs and min(xs) < 1:
            continue
        scores = {}
        for i in range(6):
            if i or logs:
                fit = best.fit(term(i, logs))
                if fit:
                    scores[i] = fit[0]
        if not scores:
            continue
        centre = min(scores, key=scores.get)
        low, mid, high = (centre - 1, 1), (centre, 1), (centre + 1, 1)
        score = scores[centre]
        for _ in range(10):
            tries = []
            for side in (low, high):
                p, q = side[0] + mid[0], side[1] + mid[1]
                fit = best.fit(term(p / q, logs)) if p else None
                if fit:
                    tries.append((fit[0], (p, q), side))
            if not tries:
                break
            trial = min(tries)
            if trial[0] * 1.5 > score:
                # One refinement that does not pay yet may lead to one that does: the interval gets narrower.
                low, high = ((low[0] + mid[0], low[1] + mid[1]), mid) if trial[2] == low else (mid, (high[0] + mid[0], high[1] + mid[1]))
                break
            if trial[2] == low:
                high, mid = mid, trial[1]
            else:
                low, mid = mid, trial[1]
            score = trial[0]
        if score < found[0]:
            found = (score, term(mid[0] / mid[1], logs))
    if found[1]:
        best.score = math.inf
        best.take(found[1])
    return best


def model(keys, vs, find):
    """A function of a tuple: one parameter by `find`; more by the single terms and combinations of them."""
    count = len(keys[0])
    if len(keys) == 1:
        return lambda x: vs[0]
    if count == 1:
        best = find([k[0] for k in keys], vs)
        return lambda x: best.at(x[0])
    factors = []
    for i in range(count):
        # The longest line of points that differ in this parameter alone.
        lines = {}
        for k, v in zip(keys, vs):
            lines.setdefault(k[:i] + k[i + 1:], []).append((k[i], v))
        longest = max(lines.values(), key=len)
        if len(longest) < 4:  # no line: all points, the other parameters ignored
            longest = sorted((k[i], v) for k, v in zip(keys, vs))
        best = find([p for p, _ in longest], [v for _, v in longest])
        factors.append(best.f if best.f else None)
    used = [(i, f) for i, f in enumerate(factors) if f]
    best = (math.inf, None)
    forms = [[]]
    if used:
        single = [[u] for u in used]
        product = [used]
        forms += [single, product] + ([single + product] if len(used) > 1 else [])
        if len(used) > 1:
            forms += [[s] + product for s in single]
    for form in forms:
        columns = lambda x, form=form: [1.0] + [math.prod(f(x[i]) for i, f in part) for part in form]
        rows = [columns(k) for k in keys]
        c = solve(rows, vs)
        if c is None:
            continue
        score = smape(vs, [sum(a * b for a, b in zip(c, r)) for r in rows])
        if score < best[0]:
            best = (score, lambda x, c=c, columns=columns: sum(a * b for a, b in zip(c, columns(x))))
    return best[1] or (lambda x: statistics.fmean(vs))


def pmnf(middle, find):
    def predict(xs, ts, points):
        keys, vs, sds = grouped(xs, ts, middle)
        typ = model(keys, vs, find)
        known = [(k, s) for k, s in zip(keys, sds) if s is not None]
        spread = model([k for k, _ in known], [s for _, s in known], find) if known else None
        return [(typ(p), max(spread(p), 0) if spread else None) for p in points]
    return predict


def log_line(keys, values, c=0.0):
    """Least squares of log(v - c) over the logarithms of all parameters: coefficients, residuals."""
    rows = [[1.0] + [math.log(x) for x in k] for k in keys]
    logs = [math.log(v - c) for v in values]
    count = len(rows[0])
    varying = [j for j in range(count) if j == 0 or len({r[j] for r in rows}) > 1]
    found = solve([[r[j] for j in varying] for r in rows], logs) or [statistics.fmean(logs)] + [0.0] * (len(varying) - 1)
    b = [0.0] * count
    for j, value in zip(varying, found):
        b[j] = value
    return b, [v - sum(x * y for x, y in zip(b, r)) for v, r in zip(logs, rows)]


def at_log(b, point):
    return math.exp(min(b[0] + sum(c * math.log(x) for c, x in zip(b[1:], point)), 700))


def loglog(xs, ts, points):
    keep = [(x, t) for x, t in zip(xs, ts) if t > 0 and min(x) > 0]
    b, residuals = log_line([x for x, _ in keep], [t for _, t in keep])
    spread = statistics.pstdev(residuals)
    return [(at_log(b, p), spread * at_log(b, p)) for p in points]


def starpu(xs, ts, points):
    keys, means, _ = grouped(xs, ts, statistics.fmean)
    ordered = sorted(means)
    low, high = 0.0, ordered[max(0, (len(ordered) - 1) // 3)]

    def straight(c):
        kept = [(k, v) for k, v in zip(keys, means) if v > 2 * c] if c else list(zip(keys, means))
        if len(kept) < 3:
            return math.inf, None
        b, residuals = log_line([k for k, _ in kept], [v for _, v in kept], c)
        logs = [math.log(v - c) for _, v in kept]
        total = sum((v - statistics.fmean(logs)) ** 2 for v in logs)
        return (sum(r * r for r in residuals) / total if total > 0 else 0.0), b

    for _ in range(40):
        third = (high - low) / 3
        if straight(low + third)[0] <= straight(high - third)[0]:
            high -= third
        else:
            low += third
    c = (low + high) / 2
    b = straight(c)[1]
    if b is None:
        c, (_, b) = 0.0, straight(0.0)
    if b is None:
        return [(statistics.fmean(means), None) for _ in points]
    return [(c + at_log(b, p), None) for p in points]


def extrap(xs, ts, points):
    """The package itself: default modeller, median; raises ImportError where it is absent."""
    from extrap.entities.coordinate import Coordinate
    from extrap.entities.measurement import Measure, Measurement
    from extrap.modelers.multi_parameter.multi_parameter_modeler import MultiParameterModeler
    from extrap.modelers.single_parameter.basic import SingleParameterModeler
    groups = {}
    for x, t in zip(xs, ts):
        groups.setdefault(x, []).append(t)
    measurements = [Measurement(Coordinate(*k), None, None, groups[k]) for k in sorted(groups)]
    modeler = SingleParameterModeler() if len(points[0]) == 1 else MultiParameterModeler()
    modeler.use_measure = Measure.MEDIAN
    if len(points[0]) == 1:
        modeler.allow_negative_exponents = True
    function = modeler.create_model(measurements).hypothesis.function
    return [(float(function.evaluate(p[0] if len(p) == 1 else p)), None) for p in points]


PEERS = {"starpu": starpu, "loglog": loglog, "pmnf": pmnf(statistics.median, search), "pmnf-mean": pmnf(statistics.fmean, search),
         "pmnf-refining": pmnf(statistics.median, refine), "extrap": extrap}


def predict(name, case, samples, points):
    """Predict each line of points: samples are (x tuple, mode tuple, time), points (x tuple, mode tuple)."""
    answers = [None] * len(points)
    for mode in {m for _, m in points}:
        asked = [i for i, (_, m) in enumerate(points) if m == mode]
        own = [(x, t) for x, m, t in samples if m == mode]
        if not own:
            continue
        try:
            found = PEERS[name]([x for x, _ in own], [t for _, t in own], [points[i][0] for i in asked])
        except ImportError:
            raise
        except (ArithmeticError, ValueError, IndexError) as error:
            raise ValueError("%s on %s: %s" % (name, case["name"], error)) from error
        for i, (typ, sd) in zip(asked, found):
            answers[i] = {"typ": typ, "mean": typ, "sd": sd}
    return answers
