# SPDX-License-Identifier: BSD-3-Clause
"""synthetic.py: the synthetic cases: laws of cost with all that is random in them drawn by seed.

A case has sizes, a law `typ(x, mode)` in nanoseconds, and a Noise, from which one invocation is drawn and whose mean and
standard deviation are known in closed form. Nothing here knows a modeller."""
import math
import random

TIMES = (2, 4, 16)
HARDER = 1.0  # factor of noise, and divisor of calls; make_cases sets it


class Noise:
    """One invocation of undisturbed cost t: main(t), and with probability `share` an addition.

    The main population has mean t and standard deviation sd(t): normal (cut at 4 sd) or log-normal. Its median is never
    further than .5 % from its mean, so that either is a fair answer for the typical cost."""

    CUT = 4.0
    CUT_SD = math.sqrt(1 - 2 * 4 * math.exp(-8) / math.sqrt(2 * math.pi) / math.erf(4 / math.sqrt(2)))

    def __init__(self, sd, skewed=False, share=0.0, addition=None):
        self.sd_of, self.skewed, self.share, self.addition = sd, skewed, share, addition

    def main(self, rng, t):
        sd = self.sd_of(t)
        if self.skewed:
            variance = math.log1p((sd / t) ** 2)
            return t * math.exp(rng.gauss(-variance / 2, math.sqrt(variance)))
        while True:
            z = rng.gauss(0, 1)
            if abs(z) <= self.CUT:
                return t + sd / self.CUT_SD * z

    def draw(self, rng, t):
        value = self.main(rng, t)
        if self.share and rng.random() < self.share:
            value += self.addition.draw(rng, t)
        return value

    def mean(self, t):
        return t + (self.share * self.addition.moments(t)[0] if self.share else 0)

    def sd(self, t):
        variance = self.sd_of(t) ** 2
        if self.share:
            first, second = self.addition.moments(t)
            variance += self.share * second - (self.share * first) ** 2
        return math.sqrt(variance)


class Uniform:
    """A pause between `low` and `high` nanoseconds, whatever the call."""

    def __init__(self, low, high):
        self.low, self.high = low, high

    def draw(self, rng, _t):
        return rng.uniform(self.low, self.high)

    def moments(self, _t):
        a, b = self.low, self.high
        return (a + b) / 2, (a * a + a * b + b * b) / 3


class Factor:
    """A population that costs `factor` times as much, or a part of these `spread`."""

    def __init__(self, factor, spread=0.0):
        self.factor, self.spread = factor, spread

    def draw(self, rng, t):
        return (self.factor - 1) * t * (1 + self.spread * rng.uniform(-1, 1))

    def moments(self, t):
        mean = (self.factor - 1) * t
        return mean, mean * mean * (1 + self.spread ** 2 / 3)


class Pareto:
    """A tail that is cut: `scale` times the cost, density ~ u^-(alpha+1) for u in 1..most."""

    def __init__(self, scale, alpha, most):
        self.scale, self.alpha, self.most = scale, alpha, most

    def draw(self, rng, t):
        a, h = self.alpha, self.most
        return self.scale * t * (1 - rng.random() * (1 - h ** -a)) ** (-1 / a)

    def moments(self, t):
        a, h = self.alpha, self.most
        norm = a / (1 - h ** -a)
        first = norm * (h ** (1 - a) - 1) / (1 - a)
        second = norm * (h ** (2 - a) - 1) / (2 - a)
        s = self.scale * t
        return s * first, s * s * second


class Case:
    """Names of parameters and modes, how often each (x, mode) is called, the law and its noise."""

    def __init__(self, name, family, parameters, law, noise, design, modes=None, unit="ns"):
        self.name, self.family, self.parameters = name, family, parameters
        self.law, self.noise, self.unit = law, noise, unit
        self.modes = modes or [None]
        self.design = design  # [(x tuple, mode, calls)]
        self.sets = {}
        self.exponents = []  # [(parameter, mode, point at 4 x, point at 16 x)]


# --- Drawing ------------------------------------------------------------------------------------
def log_uniform(rng, low, high):
    return math.exp(rng.uniform(math.log(low), math.log(high)))


def draw_sizes(rng, count=None, low=None, span=None):
    """`count` different integers, about evenly in the logarithm."""
    count = count or rng.randint(8, 14)
    low = low or log_uniform(rng, 16, 512)
    span = span or log_uniform(rng, 60, 2000)
    sizes = []
    for i in range(count):
        x = round(low * span ** (i / (count - 1)) * math.exp(rng.uniform(-.12, .12)))
        sizes.append(max(x, sizes[-1] + 1 if sizes else 1))
    return sizes


def level(rng, choices=(.005, .01, .02, .03, .05)):
    return min(rng.choice(choices) * HARDER, .2)


def relative(s):
    return lambda t: s * t


def plain_noise(rng, s=None):
    s = level(rng) if s is None else s
    return Noise(relative(s), skewed=rng.random() < .4 and s <= .1)


def middle(sizes, at):
    """The size at the part `at` of the range, in the logarithm."""
    return sizes[0] * (sizes[-1] / sizes[0]) ** at


def normalise(rng, law, sizes):
    """The law, so that the call in the middle takes 3 us to 3 ms."""
    factor = log_uniform(rng, 3e3, 3e6) / law(middle(sizes, .5))
    return lambda x: factor * law(x)


def sum_of(terms, sizes, crossings):
    """terms[0] + ...: each further term equals terms[0] at the part `crossings[i]` of the range."""
    factors = [1.0]
    for term, at in zip(terms[1:], crossings):
        x = middle(sizes, at)
        factors.append(terms[0](x) / term(x))
    return lambda x: sum(f * t(x) for f, t in zip(factors, terms))


def power(p, logs=0):
    return lambda x: x ** p * math.log2(x) ** logs


def one(_x):
    return 1.0


def with_constant(rng, term, sizes, at=None):
    return sum_of([term, one], sizes, [rng.uniform(-.15, .45) if at is None else at])


def flat(sizes, calls):
    return [((x,), None, calls) for x in sizes]


def single(rng, name, family, law, sizes, noise=None, calls=None, design=None):
    """A case of one parameter."""
    law = normalise(rng, law, sizes)
    calls = calls or rng.choice((3, 5, 8, 12, 20))
    case = Case(name, family, ["Q"], lambda x, _m: law(x[0]), noise or plain_noise(rng),
                design or flat(sizes, calls), unit=rng.choice(("ns", "us")))
    return case


# --- Points to predict -----------------------------------------------------------------------------
def add_points(rng, case):
    """Sets interp, x2, x4, x16 and the points that exponents are taken from."""
    columns = [sorted({x[i] for x, _, _ in case.design}) for i in range(len(case.parameters))]
    most = [c[-1] for c in columns]
    inside = []
    for _ in range(8):
        point = []
        for c in columns:
            if len(c) < 3:
                point.append(rng.choice(c))
                continue
            k = rng.randrange(len(c) - 1)
            point.append(round(math.sqrt(c[k] * c[k + 1])))
        inside.append(tuple(point))
    case.sets["interp"] = [(p, m) for p in inside for m in case.modes]
    centre = tuple(c[len(c) // 2] for c in columns)
    for times in TIMES:
        points = []
        if len(columns) == 1:
            points.append((times * most[0],))
        else:
            for i, m in enumerate(most):
                points.append(tuple(times * m if j == i else centre[j] for j in range(len(most))))
            points.append(tuple(times * m for m in most))
        case.sets["x%d" % times] = [(p, m) for p in points for m in case.modes]
    for i, most_i in enumerate(most):
        if len(columns[i]) < 3:
            continue
        ends = [tuple(k * most_i if j == i else centre[j] for j in range(len(most))) for k in (4, 16)]
        for m in case.modes:
            case.exponents.append((i, m, ends[0], ends[1]))
    return case


# --- Families -----------------------------------------------------------------------------------------
def linear(rng):
    for s in (.005, .02, .05, .10, .20):
        sizes = draw_sizes(rng)
        law = with_constant(rng, power(1), sizes) if rng.random() < .7 else power(1)
        yield single(rng, "noise%g" % (100 * s), "linear", law, sizes, noise=plain_noise(rng, s),
                     calls=rng.choice((5, 10, 20)))


def powers(rng):
    exponents = {"half": .5, "twothirds": 2 / 3, "threehalves": 1.5, "odd": rng.uniform(.6, 1.9), "steep": rng.uniform(2.1, 2.95),
                 "square": 2, "cube": 3, "inverse": -1, "inversehalf": rng.choice((-.5, -2 / 3, -.75))}
    for name, p in exponents.items():
        sizes = draw_sizes(rng, low=log_uniform(rng, 8, 64), span=log_uniform(rng, 30, 300) if p > 1.6 else None)
        if p < 0:  # a floor below which nothing falls, or none
            law = sum_of([power(p), one], sizes, [rng.uniform(.7, 1.4)])
        else:
            law = with_constant(rng, power(p), sizes) if rng.random() < .5 else power(p)
        yield single(rng, name, "power", law, sizes)


def logs(rng):
    for name, p, j in (("nlogn", 1, 1), ("log", 0, 1), ("nlog2n", 1, 2), ("n2logn", 2, 1), ("rootlog", .5, 1)):
        sizes = draw_sizes(rng)
        law = with_constant(rng, power(p, j), sizes) if rng.random() < .5 else power(p, j)
        yield single(rng, name, "nlogn", law, sizes, noise=plain_noise(rng, level(rng, (.003, .005, .01, .02))),
                     calls=rng.choice((20, 40)))


def terms(rng):
    pairs = {"n_n2": [power(1), power(2)], "n_n3": [power(1), power(3)], "n_nlogn": [power(1), power(1, 1)],
             "root_n": [power(.5), power(1)], "n_n32": [power(1), power(1.5)], "n2_n3": [power(2), power(3)],
             "root_n_n2": [power(.5), power(1), power(2)], "n_n2_n3": [power(1), power(2), power(3)]}
    for name, each in pairs.items():
        sizes = draw_sizes(rng, count=rng.randint(10, 16))
        crossings = [rng.uniform(.3, .7)] if len(each) == 2 else sorted((rng.uniform(.3, .5), rng.uniform(.5, .75)))
        law = sum_of(each, sizes, crossings)
        if rng.random() < .4:
            first = law
            law = sum_of([first, one], sizes, [rng.uniform(0, .25)])
        yield single(rng, name, "terms", law, sizes, noise=plain_noise(rng, level(rng, (.002, .005, .01, .02))),
                     calls=rng.choice((20, 40)))


def balance(parts, columns, rng):
    """a * parts[0] + b * parts[1] + ...: about equal somewhere in the middle of both."""
    at = [middle(c, rng.uniform(.35, .65)) for c in columns]
    factors = [1 / p(*at) for p in parts]
    factor = log_uniform(rng, 3e3, 3e6) / len(parts)
    return lambda x, _m: factor * sum(f * p(*x) for f, p in zip(factors, parts))


def several(rng):
    def columns(low=(4, 64), span=(20, 200), count=(5, 8)):
        return [draw_sizes(rng, count=rng.randint(*count), low=log_uniform(rng, *low), span=log_uniform(rng, *span))
                for _ in range(2)]

    def grid(c, calls):
        return [((x, y), None, calls) for x in c[0] for y in c[1]]

    def make(name, parts, c, design, noise=None):
        return Case(name, "several", ["n", "m"], balance(parts, c, rng), noise or plain_noise(rng, level(rng, (.005, .01, .02))),
                    design, unit=rng.choice(("ns", "us")))

    calls = lambda: rng.choice((5, 8, 12))
    constant = lambda x, y: 1.0
    c = columns()
    yield make("product", [lambda x, y: x * y] + [constant] * rng.randint(0, 1), c, grid(c, calls()))
    c = columns()
    yield make("product_powers", [lambda x, y, p=rng.choice((.5, 1, 1.5)), q=rng.choice((1.5, 2)): x ** p * y ** q], c, grid(c, calls()))
    c = columns()
    yield make("sum", [lambda x, y: x, lambda x, y: y], c, grid(c, calls()))
    c = columns()
    yield make("sum_powers", [lambda x, y, p=rng.choice((1, 1.5)): x ** p, lambda x, y, q=rng.choice((1, 2)): y ** q, constant],
               c, grid(c, calls()))
    c = columns(low=(8, 16), span=(16, 40))
    yield make("surface_volume", [lambda x, y: x * y, lambda x, y: x + y], c, grid(c, calls()))
    c = columns()
    yield make("irrelevant", [lambda x, y, p=rng.choice((1, 1.5)): x ** p, constant], c, grid(c, calls()))
    c = columns()
    yield make("log_product", [lambda x, y: x * math.log2(y), lambda x, y: y], c, grid(c, calls()))
    c = columns()
    yield make("ratio", [lambda x, y: x / y, lambda x, y: y ** .5], c, grid(c, calls()))
    c = columns()
    scattered = [((round(log_uniform(rng, c[0][0], c[0][-1])), round(log_uniform(rng, c[1][0], c[1][-1]))), None, rng.randint(3, 12))
                 for _ in range(40)]
    yield make("scattered", [lambda x, y: x * y, lambda x, y: x], c, scattered)
    c = columns(count=(8, 10))
    mid = [v[len(v) // 2] for v in c]
    cross = [((x, mid[1]), None, 10) for x in c[0]] + [((mid[0], y), None, 10) for y in c[1] if y != mid[1]]
    yield make("cross", [lambda x, y: x * y, lambda x, y: 1.0], c, cross + [((c[0][-1], c[1][-1]), None, 10)])
    c = columns()
    sparse = rng.sample(grid(c, 3), 12)
    yield make("sparse", [lambda x, y: x * y, constant], c, sparse)


def hinge(base, at, slope):
    return lambda x: base(x) + slope * max(x - at, 0)


def breaks(rng):
    quiet = lambda: plain_noise(rng, level(rng, (.005, .01, .02)))
    many = lambda **more: draw_sizes(rng, count=rng.randint(12, 18), span=log_uniform(rng, 200, 2000), **more)
    calls = rng.choice((5, 10, 20))
    sizes = many()
    yield single(rng, "hinge", "breaks", hinge(power(1), middle(sizes, rng.uniform(.4, .7)), rng.uniform(.5, 4)), sizes, quiet(), calls)
    sizes = many()
    at, jump = middle(sizes, rng.uniform(.4, .65)), rng.uniform(.4, 1.5)
    yield single(rng, "jump", "breaks", lambda x, at=at, jump=jump: x + (jump * at if x > at else 0), sizes, quiet(), calls)
    sizes = many()
    yield single(rng, "late", "breaks", hinge(power(1), middle(sizes, rng.uniform(.76, .82)), rng.uniform(.8, 4)), sizes, quiet(), calls)
    sizes = many()
    at, more = middle(sizes, rng.uniform(.4, .65)), rng.uniform(.6, 2)
    # A miss rate that rises from 0 to 1 within a factor of about 2 around `at`.
    yield single(rng, "smooth", "breaks", lambda x, at=at, more=more: x * (1 + more / (1 + (at / x) ** 4)), sizes, quiet(), calls)
    sizes = many()
    first, second = middle(sizes, rng.uniform(.25, .4)), middle(sizes, rng.uniform(.6, .75))
    yield single(rng, "two", "breaks", hinge(hinge(power(1), first, rng.uniform(.5, 1)), second, rng.uniform(1, 2)), sizes, quiet(), calls)
    sizes = many()
    yield single(rng, "none_noisy", "breaks", with_constant(rng, power(1), sizes), sizes, plain_noise(rng, rng.uniform(.08, .15)), calls)
    sizes = many()
    yield single(rng, "hinge_constant", "breaks",
                 with_constant(rng, hinge(power(1), middle(sizes, rng.uniform(.5, .65)), rng.uniform(.6, 2)), sizes, .2), sizes, quiet(), calls)
    sizes = many()
    at = middle(sizes, rng.uniform(.45, .65))
    yield single(rng, "hinge_square", "breaks", lambda x, at=at: x + max(x * x - at * at, 0) / (2 * at), sizes, quiet(), calls)


def modes(rng):
    def make(name, laws, design=None, noise=None, calls=None):
        sizes = make.sizes
        calls = calls or rng.choice((8, 12, 20))
        base = log_uniform(rng, 3e3, 3e6) / laws[0](middle(sizes, .5))
        numbers = list(range(len(laws)))
        return Case(name, "modes", ["Q"], lambda x, m: base * laws[m](x[0]), noise or plain_noise(rng),
                    design or [((x,), m, calls) for x in sizes for m in numbers], numbers, rng.choice(("ns", "us")))

    def fresh(count=None):
        make.sizes = draw_sizes(rng, count)
        return make.sizes

    sizes = fresh()
    yield make("different", [with_constant(rng, power(1), sizes), lambda x, f=rng.uniform(1.5, 4): f * x])
    sizes = fresh()
    law = with_constant(rng, power(rng.choice((1, 1.5))), sizes)
    yield make("same", [law, law, law], noise=plain_noise(rng, .05), calls=6)
    sizes = fresh()
    factor = rng.uniform(1.3, 3)
    law = with_constant(rng, power(1), sizes)
    rare = rng.sample(sizes, 4)
    yield make("rare", [law, lambda x, law=law, factor=factor: factor * law(x)],
               [((x,), 0, 20) for x in sizes] + [((x,), 1, 3) for x in rare])
    sizes = fresh(9)
    factors = [rng.uniform(1, 4) for _ in range(16)]
    yield make("sixteen", [lambda x, f=f: f * x for f in factors], calls=5)
    sizes = fresh()
    at = middle(sizes, rng.uniform(.4, .6))
    yield make("crossing", [lambda x, at=at: 1.2 * at + x, lambda x, at=at: .2 * at + 2 * x])
    sizes = fresh()
    yield make("shapes", [power(1), sum_of([power(1), power(1.5)], sizes, [rng.uniform(.3, .6)]),
                          sum_of([power(1), power(1, 1)], sizes, [rng.uniform(.3, .6)])], noise=plain_noise(rng, .01))
    sizes = fresh(16)
    at = middle(sizes, rng.uniform(.45, .65))
    yield make("break_in_one", [power(1), hinge(power(1), at, rng.uniform(.5, 1.5))], noise=plain_noise(rng, .01))


def noises(rng):
    for name in ("fixed", "root", "proportional", "above", "mixed", "skewed"):
        sizes = draw_sizes(rng, span=log_uniform(rng, 30, 200))
        law = normalise(rng, with_constant(rng, power(rng.choice((1, 1, 1.5))), sizes), sizes)
        low, mid, high = law(sizes[0]), law(middle(sizes, .5)), law(16 * sizes[-1])
        s = level(rng, (.02, .05, .1))
        sd = {"fixed": lambda t, a=.15 * low: a,
              "root": lambda t, a=s * math.sqrt(low) * 2: a * math.sqrt(t),
              "proportional": lambda t, a=s: a * t,
              "above": lambda t, a=.22 / high ** .3: a * t ** 1.3,
              "mixed": lambda t, a=.1 * low, b=.5 * s: math.hypot(a, b * t),
              "skewed": lambda t, a=min(2 * s, .1): a * t}[name]
        del mid
        yield Case(name, "noise", ["Q"], lambda x, _m, law=law: law(x[0]), Noise(sd, skewed=name == "skewed"),
                   flat(sizes, rng.choice((20, 40, 60))), unit=rng.choice(("ns", "us")))


def outliers(rng):
    s = lambda: relative(level(rng, (.01, .02, .03)))
    kinds = {"pareto": lambda: (rng.uniform(.05, .15), Pareto(rng.uniform(.1, .3), rng.uniform(1.2, 2.6), 300)),
             "preempted5": lambda: (.05, Uniform(1e6, 1e7)),
             "preempted20": lambda: (.20, Uniform(1e6, 1e7)),
             "slices": lambda: (.10, Uniform(3.9e6, 4.1e6)),
             "populations": lambda: (rng.uniform(.25, .35), Factor(rng.uniform(2, 4), .1)),
             "rare_dear": lambda: (rng.uniform(.03, .1), Factor(rng.uniform(8, 30), .1)),
             "interrupts": lambda: (rng.uniform(.1, .3), Uniform(2e3, 2e4))}
    for name, draw in kinds.items():
        sizes = draw_sizes(rng)
        share, addition = draw()
        law = with_constant(rng, power(rng.choice((1, 1, 1.5, 2))), sizes)
        yield single(rng, name, "outliers", law, sizes, Noise(s(), rng.random() < .5, share, addition), rng.choice((20, 40, 60)))
    # The first calls at each size are dear; a further run has as many of them.
    sizes = draw_sizes(rng)
    calls = rng.choice((20, 40))
    yield single(rng, "warmup", "outliers", with_constant(rng, power(1), sizes), sizes,
                 Noise(s(), False, 2 / calls, Factor(rng.uniform(1.5, 6), .2)), calls)


def constants(rng):
    for name, s in (("quiet", .005), ("noisy", .1), ("two_values", .02), ("preempted", .02)):
        sizes = draw_sizes(rng)
        noise = Noise(relative(s), name == "noisy")
        if name == "two_values":
            noise = Noise(relative(s), False, .2, Factor(rng.uniform(1.5, 3)))
        elif name == "preempted":
            noise = Noise(relative(s), True, .05, Uniform(1e6, 1e7))
        yield single(rng, name, "constant", one, sizes, noise, rng.choice((10, 20, 40)))


def meshes(rng):
    """Sizes of patches: nx * ny in blocks of 4 or 8 cells, small ones by far the most frequent."""
    def patches(block, largest, rows):
        counts = {}
        for _ in range(rows):
            nx = block * min(int(rng.paretovariate(.9)), largest)
            ny = block * min(int(rng.paretovariate(.9)), largest)
            counts[nx * ny] = counts.get(nx * ny, 0) + 1
        sizes = sorted(counts)
        return sizes, [((x,), None, counts[x]) for x in sizes]

    for name in ("linear", "overhead", "odd", "break", "nlogn", "noisy", "outliers"):
        sizes, design = patches(rng.choice((4, 8)), rng.choice((16, 24, 32)), rng.choice((150, 400, 1000)))
        law, noise = power(1), plain_noise(rng, level(rng, (.02, .05, .1)))
        if name == "overhead":
            law = with_constant(rng, power(1), sizes)
        elif name == "odd":
            law = with_constant(rng, power(rng.uniform(.75, 1.6)), sizes)
        elif name == "break":
            law = hinge(power(1), middle(sizes, rng.uniform(.5, .7)), rng.uniform(.6, 2))
        elif name == "nlogn":
            law = with_constant(rng, power(1, 1), sizes, .1)
        elif name == "noisy":
            noise = plain_noise(rng, .2)
        elif name == "outliers":
            noise = Noise(relative(.03), True, .05, Uniform(1e6, 6e6))
        yield single(rng, name, "mesh", law, sizes, noise, design=design)


FAMILIES = (linear, powers, logs, terms, several, breaks, modes, noises, outliers, constants, meshes)


def make_cases(seed, harder=1.0):
    """All synthetic cases of a seed; each family has its own stream, so that one that changes leaves the others alone. With
    `harder` the noise is that much larger, and there are that many fewer calls (but three, where there were three)."""
    global HARDER
    HARDER = harder
    cases = []
    for family in FAMILIES:
        rng = random.Random("%d/%s" % (seed, family.__name__))
        for case in family(rng):
            case.name = "%s_%s" % (case.family, case.name)
            case.design = [(x, m, max(min(calls, 3), round(calls / harder))) for x, m, calls in case.design]
            cases.append(add_points(rng, case))
    return cases
