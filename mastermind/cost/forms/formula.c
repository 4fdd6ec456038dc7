/* SPDX-License-Identifier: BSD-3-Clause */
/* formula.c: print sums of basis functions in four languages. */
#include "mastermind/cost/forms/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/expr/words.h"

#define LEAST_RATE .2 /* least rate of an exponential that is printed by its base */

/* The destination of a formula: a file, or the caller's buffer, in which long text is
 * cut. */
struct sink {
    FILE *file;
    char *text;
    size_t size, used;
};

__attribute__((format(printf, 2, 3))) static void put(struct sink *to, const char *format,
                                                      ...)
{
    size_t left = to->used < to->size ? to->size - to->used : 0;
    va_list args;
    int length;

    va_start(args, format);
    length = to->file ? vfprintf(to->file, format, args)
                      : vsnprintf(left ? to->text + to->used : NULL, left, format, args);
    va_end(args);
    to->used += length > 0 ? (size_t)length : 0;
}

/* Names that no variable may have: keywords of C and Python, and functions called in
 * formulas. */
static int is_reserved(const char *name)
{
    static const char own[] =
        "cost log2 main math pow INFINITY NAN OverflowError ValueError isfinite print "
        "linux unix y0 y1 j0 j1 yn jn";

    return cca_is_keyword(CCA_C | CCA_PYTHON, name, strlen(name)) ||
           cca_is_word(own, name, strlen(name));
}

/* Make an identifier of at most `most` letters from any text. */
static void write_identifier(const char *text, char *name, size_t most)
{
    size_t used = 0;

    if (!isalpha((unsigned char)*text) || !isascii((unsigned char)*text))
        name[used++] = 'v';
    for (; *text && used + 2 < most; text++) {
        int good = isascii((unsigned char)*text) && isalnum((unsigned char)*text);

        if (good)
            name[used++] = *text;
        else if (name[used - 1] != '_')
            name[used++] = '_';
    }
    while (used > 1 && name[used - 1] == '_')
        used--;
    name[used] = '\0';
    if (is_reserved(name))
        memcpy(name + used, "_", 2);
}

void mm_formula_identifier(const char *text, char name[MM_FORMULA_NAME])
{
    write_identifier(text, name, MM_FORMULA_NAME - 1);
}

void mm_formula_variable(const struct mm_method_info *method, size_t index,
                         char name[MM_FORMULA_NAME])
{
    char other[MM_FORMULA_NAME];
    int same = 0;

    /* Leave room for "_15_", which is appended if two texts give one identifier. */
    write_identifier(method->values[index].name, name, MM_FORMULA_NAME - 4);
    for (size_t i = 0; i < method->in_count; i++) {
        write_identifier(method->values[i].name, other, MM_FORMULA_NAME - 4);
        same += i != index && strcmp(name, other) == 0;
    }
    if (same)
        snprintf(name + strlen(name), 5, "_%zu_", index % 100);
}

/* --- Text --------------------------------------------------------------------------- */

static void text_cost(struct sink *to, int counts, double ns)
{
    double us = ns / 1000;

    if (counts)
        put(to, fabs(ns) >= 100 && fabs(ns) < 1e7 ? "%.0f" : "%.3g", ns);
    else if (us != 0 && fabs(us) < .01) /* a coefficient is so small if the parameter is
                                           an area, for example: print ns, not us */
        put(to, fabs(ns) < 1e-4 ? "%.2e ns" : "%.3g ns", ns);
    else if (fabs(us) >= 1e4)
        put(to, fabs(us) < 1e6 ? "%.3g ms" : "%.3g s", us / (fabs(us) < 1e6 ? 1e3 : 1e6));
    else
        put(to, fabs(us) >= 100 ? "%.0f us" : "%.3g us", us);
}

/* Print the position of a break with four digits, without an exponent for usual numbers.
 */
static void print_place(double at, char *text, size_t size)
{
    double rounded;

    snprintf(text, size, "%.3e", at);
    rounded = strtod(text, NULL);
    snprintf(text, size, fabs(rounded) >= 1000 && fabs(rounded) < 1e9 ? "%.0f" : "%.4g",
             rounded);
}

static void text_factor(struct sink *to, const struct mm_factor *factor, const char *x)
{
    int numerator = 0, denominator = 1;
    int fraction = mm_power_fraction(factor->power, &numerator, &denominator);

    if (factor->power == 1)
        put(to, "%s", x);
    else if (!fraction)
        put(to, "%s^%.4g", x, factor->power);
    else if (denominator != 1)
        put(to, "%s^(%d/%d)", x, numerator, denominator);
    else if (numerator || !factor->logs)
        put(to, "%s^%d", x, numerator);
    if (!factor->logs)
        return;
    put(to, "%slog2(%s)", factor->power != 0 ? " * " : "", x);
    if (factor->logs != 1)
        put(to, "^%d", factor->logs);
}

/* --- C and Python ---------------------------------------------------------------------
 */

static void exact_number(struct sink *to, double value)
{
    char text[40];

    snprintf(text, sizeof text, "%.17g", value);
    put(to, "%s%s", text, strpbrk(text, ".en") ? "" : ".0");
}

static void code_factor(struct sink *to, const struct mm_factor *factor, const char *x,
                        const char *module)
{
    const char *join = "";

    if (factor->power == 1) {
        put(to, "%s", x);
        join = " * ";
    } else if (factor->power != 0 || !factor->logs) {
        put(to, "%spow(%s, ", module, x);
        exact_number(to, factor->power);
        put(to, "%c", ')');
        join = " * ";
    }
    for (int i = 0; i < factor->logs; i++, join = " * ")
        put(to, "%s%slog2(%s)", join, module, x);
}

static void code_break(struct sink *to, const struct mm_basis *basis, const char *x,
                       int python)
{
    const char *module = python ? "math." : "";
    char at[40], there[48];

    snprintf(at, sizeof at, "%.17g", basis->at);
    snprintf(there, sizeof there, "%s%s", at, strpbrk(at, ".en") ? "" : ".0");
    put(to, "%c", '(');
    if (!python)
        put(to, "%s > %s ? ", x, there);
    if (basis->kind == MM_BASIS_JUMP) {
        put(to, "%s", "1.0");
    } else {
        code_factor(to, &basis->factor[0], x, module);
        put(to, "%s", " - ");
        code_factor(to, &basis->factor[0], there, module);
    }
    if (python)
        put(to, " if %s > %s else 0.0)", x, there);
    else
        put(to, "%s", " : 0.0)");
}

/* --- LaTeX ----------------------------------------------------------------------------
 */

/* Print six digits, and a power of ten in LaTeX notation. */
static void latex_number(struct sink *to, double value)
{
    char text[40], *exponent;

    snprintf(text, sizeof text, "%.6g", value);
    exponent = strchr(text, 'e');
    if (!exponent) {
        put(to, "%s", text);
        return;
    }
    *exponent = '\0';
    put(to, "%s \\cdot 10^{%d}", text, atoi(exponent + 1));
}

static void latex_name(struct sink *to, const char *name)
{
    if (isalpha((unsigned char)*name) && !name[1]) {
        put(to, "%c", *name);
        return;
    }
    put(to, "%s", "\\mathrm{");
    for (; *name; name++)
        if (isascii((unsigned char)*name) && isalnum((unsigned char)*name))
            put(to, "%c", *name);
        else
            put(to, "%s", "\\_");
    put(to, "%c", '}');
}

static void latex_factor(struct sink *to, const struct mm_factor *factor, const char *x)
{
    int numerator = 0, denominator = 1;
    int fraction = mm_power_fraction(factor->power, &numerator, &denominator);

    if (factor->power != 0 || !factor->logs) {
        put(to, "%s", x);
        if (factor->power == 1)
            ;
        else if (!fraction)
            put(to, "^{%.6g}", factor->power);
        else if (denominator != 1)
            put(to, "^{%d/%d}", numerator, denominator);
        else
            put(to, "^{%d}", numerator);
    }
    if (!factor->logs)
        return;
    put(to, "%s\\log_2", factor->power != 0 ? " " : "");
    if (factor->logs != 1)
        put(to, "^{%d}", factor->logs);
    put(to, " %s", x);
}

/* --- Every language
 * -----------------------------------------------------------------------
 */

/* Write the name of a parameter in the syntax of the language to the caller's buffer. */
static void name_parameter(enum mm_formula_language language,
                           const struct mm_method_info *method, size_t index, char *name,
                           size_t size)
{
    struct sink to = {.text = name, .size = size};

    if (language == MM_FORMULA_TEXT)
        snprintf(name, size, "%s", method->values[index].name);
    else if (language != MM_FORMULA_LATEX)
        mm_formula_variable(method, index, name);
    else
        latex_name(&to, method->values[index].name);
}

static void write_factor(struct sink *to, enum mm_formula_language language,
                         const struct mm_factor *factor, const char *x)
{
    if (language == MM_FORMULA_TEXT)
        text_factor(to, factor, x);
    else if (language == MM_FORMULA_LATEX)
        latex_factor(to, factor, x);
    else
        code_factor(to, factor, x, language == MM_FORMULA_PYTHON ? "math." : "");
}

/* Write the position of a break in LaTeX; a power of ten gets braces, as an exponent may
 * follow. */
static void latex_place(double at, char *text, size_t size)
{
    struct sink to = {.text = text, .size = size};
    int braces = at >= 1e6 || at < 1e-4;

    put(&to, "%s", braces ? "{(" : "");
    latex_number(&to, at);
    put(&to, "%s", braces ? ")}" : "");
}

/* Write a hinge (change of slope) or a jump as text or LaTeX. */
static void write_break(struct sink *to, enum mm_formula_language language,
                        const struct mm_basis *basis, const char *x)
{
    int latex = language == MM_FORMULA_LATEX;
    char place[60];

    if (latex)
        latex_place(basis->at, place, sizeof place);
    else
        print_place(basis->at, place, sizeof place);
    if (basis->kind == MM_BASIS_JUMP) {
        put(to, latex ? "[%s > %s]" : "(%s > %s)", x, place);
        return;
    }
    put(to, "%s", latex ? "\\max(0, " : "max(0, ");
    write_factor(to, language, &basis->factor[0], x);
    put(to, "%s", " - ");
    write_factor(to, language, &basis->factor[0], place);
    put(to, "%c", ')');
}

/* Write 2^(n/4) or 1.7^n; bases near 1 need the precision of the logarithm. */
static void write_exponential(struct sink *to, enum mm_formula_language language,
                              double rate, const char *x)
{
    int steps = rate > 0 && fabs(round(1 / rate) * rate - 1) < 1e-9;
    int base = rate >= LEAST_RATE;

    if (language == MM_FORMULA_C || language == MM_FORMULA_PYTHON) {
        put(to, "%s", language == MM_FORMULA_C ? "exp2(" : "math.pow(2.0, ");
        exact_number(to, rate);
        put(to, " * %s)", x);
    } else if (language == MM_FORMULA_LATEX) {
        put(to, "2^{%.6g \\, %s}", rate, x);
    } else if (rate == 1) {
        put(to, "2^%s", x);
    } else if (steps) {
        put(to, "2^(%s/%.0f)", x, 1 / rate);
    } else if (base) {
        put(to, "%.4g^%s", exp2(rate), x);
    } else {
        put(to, "2^(%s/%.4g)", x, 1 / rate);
    }
}

static void write_basis(struct sink *to, enum mm_formula_language language,
                        const struct mm_basis *basis, const struct mm_method_info *method)
{
    char x[900] = "";

    for (size_t i = 0; i < basis->factors; i++) {
        name_parameter(language, method, basis->factor[i].parameter, x, sizeof x);
        if (basis->kind == MM_BASIS_EXPONENTIAL) {
            write_exponential(to, language, basis->factor[i].power, x);
        } else if (basis->kind == MM_BASIS_PRODUCT) {
            if (i)
                put(to, "%s", language == MM_FORMULA_LATEX ? " \\, " : " * ");
            write_factor(to, language, &basis->factor[i], x);
        } else if (language == MM_FORMULA_TEXT || language == MM_FORMULA_LATEX) {
            write_break(to, language, basis, x);
        } else {
            code_break(to, basis, x, language == MM_FORMULA_PYTHON);
        }
    }
}

static void write_cost(struct sink *to, enum mm_formula_language language, int counts,
                       double ns)
{
    if (language == MM_FORMULA_TEXT) {
        text_cost(to, counts, ns);
    } else if (language == MM_FORMULA_LATEX) {
        latex_number(to, counts ? ns : ns / 1000);
        if (!counts)
            put(to, "%s", " \\, \\mathrm{\\mu s}");
    } else {
        exact_number(to, ns);
    }
}

/* Write a term of a formula, including the sign that joins it to earlier terms. */
static void write_term(struct sink *to, enum mm_formula_language language,
                       const struct mm_form *form, size_t i, int first,
                       const struct mm_method_info *method, int counts)
{
    put(to, "%s", form->a[i] < 0 ? first ? "-" : " - " : first ? "" : " + ");
    write_cost(to, language, counts, fabs(form->a[i]));
    if (form->basis[i].kind == MM_BASIS_ONE)
        return;
    put(to, "%s", language == MM_FORMULA_LATEX ? " \\cdot " : " * ");
    write_basis(to, language, &form->basis[i], method);
}

static void write_form(struct sink *to, enum mm_formula_language language,
                       const struct mm_form *form, const struct mm_method_info *method,
                       int counts)
{
    int first = 1;

    for (int constants = 1; constants >= 0; constants--) /* the constant is written in
                                                            the first pass */
        for (size_t i = 0; i < form->count; i++)
            if ((form->basis[i].kind == MM_BASIS_ONE) == constants &&
                (form->a[i] != 0 || form->count == 1)) {
                write_term(to, language, form, i, first, method, counts);
                first = 0;
            }
    if (first)
        write_cost(to, language, counts, 0);
}

/* --- Public functions --------------------------------------------------------------- */

void mm_formula_write(FILE *to, enum mm_formula_language language,
                      const struct mm_form *form, const struct mm_method_info *method,
                      int counts)
{
    struct sink sink = {.file = to};

    write_form(&sink, language, form, method, counts);
}

void mm_formula_write_exact(FILE *to, double value)
{
    struct sink sink = {.file = to};

    exact_number(&sink, value);
}

void mm_formula_write_latex_name(FILE *to, const char *name)
{
    struct sink sink = {.file = to};

    latex_name(&sink, name);
}

int mm_formula_print_cost(int counts, double ns, char *text, size_t size)
{
    struct sink sink = {.text = text, .size = size};

    text_cost(&sink, counts, ns);
    return (int)sink.used;
}

int mm_form_print(const struct mm_form *form, const struct mm_method_info *method,
                  int counts, char *text, size_t size)
{
    struct sink sink = {.text = text, .size = size};

    if (size)
        text[0] = '\0';
    write_form(&sink, MM_FORMULA_TEXT, form, method, counts);
    return (int)sink.used;
}
