# SPDX-License-Identifier: BSD-3-Clause
"""equations.py OUT SIZES.json MODEL.json...: Equations 1 and 2, as ours and as theirs.

Each MODEL is what `mastermind model --metric CPU_TIME --json` prints. The forms of the paper are fitted to the means and standard
deviations over both modes where LOW <= Q <= HIGH. Writes OUT/forms-CLASS.gp for the figures and OUT/equations.json.
"""
import json
import math
import sys

import fit
from table import markdown, write_values

LOW, HIGH = 4e3, 1.6e5
SIGMA_EFM = (66.7, -0.015, 9.24e-7, -1.12e-11, 3.85e-17)


def power_text(a, b):
    return "exp(%.3g log Q %s %.3g)" % (a, "-" if b < 0 else "+", abs(b))


def polynomial_text(c):
    """A polynomial in Q, with powers of ten that Markdown and gnuplot both leave alone."""
    text = "%.3g" % c[0]
    for k, v in enumerate(c[1:], 1):
        text += " %s %.3g Q%s" % ("-" if v < 0 else "+", abs(v), "" if k == 1 else "^%d" % k)
    return text


def gp_polynomial(c):
    return " + ".join("(%.10g)*q**%d" % (v, k) for k, v in enumerate(c))


def forms_of(name, means):
    """The paper's forms for a class: its text, gnuplot, and deviation; of mean and of standard deviation."""
    q, mean, sd = ([m[k] for m in means] for k in range(3))
    forms = {}
    if name.startswith("States"):
        a, b = fit.power(q, mean)
        forms["mean"] = power_text(a, b), "exp(%.10g*log(q) + %.10g)" % (a, b), [math.exp(a * math.log(v) + b) for v in q]
        a, b = fit.power(q, sd)
        forms["sd"] = power_text(a, b), "exp(%.10g*log(q) + %.10g)" % (a, b), [math.exp(a * math.log(v) + b) for v in q]
    else:
        c = fit.polynomial(q, mean, 1)
        forms["mean"] = polynomial_text(c), gp_polynomial(c), [c[0] + c[1] * v for v in q]
        degree = 4 if name == "EFMFlux" and len(q) > 6 else 1
        c = fit.polynomial(q, sd, degree)
        forms["sd"] = polynomial_text(c), gp_polynomial(c), [sum(w * v ** k for k, w in enumerate(c)) for v in q]
    return {k: {"text": f[0], "gp": f[1], "deviation": fit.deviation(y, f[2])}
            for (k, f), y in zip(forms.items(), (mean, sd))}


def ours_of(model, name):
    """What `mastermind model` states of a class, a line for each mode."""
    lines = []
    for method in model["methods"]:
        if method["class"] != name:
            continue
        for m in method["models"]:
            sd = m.get("sd")
            lines.append((m["mode"], m["formula"], m.get("error"), sd and sd_text(sd)))
    return lines


def sd_text(sd):
    """factor * (mean / us)^power in ns: the factor is that at 1 ns."""
    if abs(sd["power"] - 1) < 1e-9:
        return "%.2g mean" % sd["factor"]
    return "%.3g ns (mean / us)^%g" % (sd["factor"] * 1e3 ** sd["power"], sd["power"])


def exponent(means):
    return fit.power([m[0] for m in means], [m[1] for m in means])[0]


def main(out, sizes_path, *model_paths):
    sizes = json.load(open(sizes_path))
    model = {"methods": [m for path in model_paths for m in json.load(open(path))["methods"]]}
    values, ours = {"low": LOW, "high": HIGH}, []
    for name, size in sizes.items():
        means = [m for m in size["mean"] if LOW <= m[0] <= HIGH]
        forms = forms_of(name, means)
        values[name] = dict(forms, sizes=len(means), exponent=exponent(means))
        with open("%s/forms-%s.gp" % (out, name), "w") as file:
            file.write("mean_form(q) = %s\nsd_form(q) = %s\n" % (forms["mean"]["gp"], forms["sd"]["gp"]))
            kind = "power law" if name.startswith("States") else "straight line"
            sd_kind = kind if name != "EFMFlux" else "polynomial of degree 4"
            file.write('mean_title = "%s, as in the paper"\nsd_title = "%s, as in the paper"\n' % (kind, sd_kind))
            file.write("low = %g\nhigh = %g\n" % (LOW, means[-1][0]))
        for mode, formula, error, sd in ours_of(model, name):
            ours.append((name, mode, "`%s`" % formula, "%.1f %%" % (100 * error) if error is not None else "",
                         "`%s`" % sd if sd else ""))
    values["ours"] = markdown(("class", "mode", "typical CPU time of a call", ">error", "standard deviation"), ours)
    values["order"] = {name: [mean_at(size["mean"], q) for q in (1e4, 1e5)] for name, size in sizes.items()}
    write_values(out + "/equations.json", values)


def mean_at(means, q):
    """Between the two sizes around q, by a power law."""
    below = [m for m in means if m[0] <= q][-1:] or means[:1]
    above = [m for m in means if m[0] > q][:1] or means[-1:]
    (a, ta), (b, tb) = below[0][:2], above[0][:2]
    return ta if a == b else ta * (tb / ta) ** (math.log(q / a) / math.log(b / a))


if __name__ == "__main__":
    main(*sys.argv[1:])
