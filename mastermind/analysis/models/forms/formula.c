/* SPDX-License-Identifier: BSD-3-Clause */
/* formula.c: sums of basis functions in four languages. */
#include "mastermind/analysis/models/forms/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Words that no variable may be: keywords of C and Python, and what formulas call. */
static const char *const reserved[] = {
    "and",       "as",       "assert",   "async",    "auto",
    "await",     "break",    "case",     "char",     "class",
    "const",     "cost",     "continue", "def",      "default",
    "del",       "do",       "double",   "elif",     "else",
    "enum",      "except",   "extern",   "finally",  "float",
    "for",       "from",     "global",   "goto",     "if",
    "import",    "in",       "inline",   "int",      "is",
    "lambda",    "log2",     "long",     "main",     "math",
    "nonlocal",  "not",      "or",       "pass",     "pow",
    "raise",     "return",   "register", "restrict", "short",
    "signed",    "sizeof",   "static",   "struct",   "switch",
    "try",       "typedef",  "union",    "unsigned", "void",
    "while",     "volatile", "with",     "yield",    "INFINITY",
    "True",      "False",    "None",     "NAN",      "OverflowError",
    "isfinite",  "print",    "linux",    "unix",     "y0",
    "y1",        "j0",       "j1",       "yn",       "jn",
    "ValueError"};

static int is_reserved(const char *name)
{
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(reserved[i], name) == 0)
            return 1;
    return 0;
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

    /* Room for "_15_": two different texts may give one identifier. */
    write_identifier(method->values[index].name, name, MM_FORMULA_NAME - 4);
    for (size_t i = 0; i < method->in_count; i++) {
        write_identifier(method->values[i].name, other, MM_FORMULA_NAME - 4);
        same += i != index && strcmp(name, other) == 0;
    }
    if (same)
        snprintf(name + strlen(name), 5, "_%zu_", index % 100);
}

/* --- Text --------------------------------------------------------------------------- */

void mm_formula_write_cost(FILE *to, int counts, double ns)
{
    double us = ns / 1000;

    if (counts)
        fprintf(to, fabs(ns) >= 100 && fabs(ns) < 1e7 ? "%.0f" : "%.3g", ns);
    else if (us != 0 && fabs(us) < .01) /* such as a factor of an area */
        fprintf(to, fabs(ns) < 1e-4 ? "%.2e ns" : "%.3g ns", ns);
    else if (fabs(us) >= 1e7)
        fprintf(to, "%.2e us", us);
    else
        fprintf(to, fabs(us) >= 100 ? "%.0f us" : "%.3g us", us);
}

/* The place of a break: four digits, without an exponent for numbers of usual size. */
static void print_place(double at, char *text, size_t size)
{
    double rounded;

    snprintf(text, size, "%.3e", at);
    rounded = strtod(text, NULL);
    snprintf(text, size, fabs(rounded) >= 1000 && fabs(rounded) < 1e9 ? "%.0f" : "%.4g",
             rounded);
}

static void text_factor(FILE *to, const struct mm_factor *factor, const char *x)
{
    int numerator = 0, denominator = 1;
    int fraction = mm_power_fraction(factor->power, &numerator, &denominator);

    if (factor->power == 1)
        fputs(x, to);
    else if (!fraction)
        fprintf(to, "%s^%.4g", x, factor->power);
    else if (denominator != 1)
        fprintf(to, "%s^(%d/%d)", x, numerator, denominator);
    else if (numerator || !factor->logs)
        fprintf(to, "%s^%d", x, numerator);
    if (!factor->logs)
        return;
    fprintf(to, "%slog2(%s)", factor->power != 0 ? " * " : "", x);
    if (factor->logs != 1)
        fprintf(to, "^%d", factor->logs);
}

/* --- C and Python ---------------------------------------------------------------------
 */

void mm_formula_write_exact(FILE *to, double value)
{
    char text[40];

    snprintf(text, sizeof text, "%.17g", value);
    fprintf(to, "%s%s", text, strpbrk(text, ".en") ? "" : ".0");
}

static void code_factor(FILE *to, const struct mm_factor *factor, const char *x,
                        const char *module)
{
    const char *join = "";

    if (factor->power == 1) {
        fputs(x, to);
        join = " * ";
    } else if (factor->power != 0 || !factor->logs) {
        fprintf(to, "%spow(%s, ", module, x);
        mm_formula_write_exact(to, factor->power);
        fputc(')', to);
        join = " * ";
    }
    for (int i = 0; i < factor->logs; i++, join = " * ")
        fprintf(to, "%s%slog2(%s)", join, module, x);
}

static void code_break(FILE *to, const struct mm_basis *basis, const char *x, int python)
{
    const char *module = python ? "math." : "";
    char at[40], there[48];

    snprintf(at, sizeof at, "%.17g", basis->at);
    snprintf(there, sizeof there, "%s%s", at, strpbrk(at, ".en") ? "" : ".0");
    fputc('(', to);
    if (!python)
        fprintf(to, "%s > %s ? ", x, there);
    if (basis->kind == MM_BASIS_JUMP) {
        fputs("1.0", to);
    } else {
        code_factor(to, &basis->factor[0], x, module);
        fputs(" - ", to);
        code_factor(to, &basis->factor[0], there, module);
    }
    if (python)
        fprintf(to, " if %s > %s else 0.0)", x, there);
    else
        fputs(" : 0.0)", to);
}

/* --- LaTeX ----------------------------------------------------------------------------
 */

/* Six digits, a power of ten as LaTeX has it. */
static void latex_number(FILE *to, double value)
{
    char text[40], *exponent;

    snprintf(text, sizeof text, "%.6g", value);
    exponent = strchr(text, 'e');
    if (!exponent) {
        fputs(text, to);
        return;
    }
    *exponent = '\0';
    fprintf(to, "%s \\cdot 10^{%d}", text, atoi(exponent + 1));
}

void mm_formula_write_latex_name(FILE *to, const char *name)
{
    if (isalpha((unsigned char)*name) && !name[1]) {
        fputc(*name, to);
        return;
    }
    fputs("\\mathrm{", to);
    for (; *name; name++)
        if (isascii((unsigned char)*name) && isalnum((unsigned char)*name))
            fputc(*name, to);
        else
            fputs("\\_", to);
    fputc('}', to);
}

static void latex_factor(FILE *to, const struct mm_factor *factor, const char *x)
{
    int numerator = 0, denominator = 1;
    int fraction = mm_power_fraction(factor->power, &numerator, &denominator);

    if (factor->power != 0 || !factor->logs) {
        fputs(x, to);
        if (factor->power == 1)
            ;
        else if (!fraction)
            fprintf(to, "^{%.6g}", factor->power);
        else if (denominator != 1)
            fprintf(to, "^{%d/%d}", numerator, denominator);
        else
            fprintf(to, "^{%d}", numerator);
    }
    if (!factor->logs)
        return;
    fprintf(to, "%s\\log_2", factor->power != 0 ? " " : "");
    if (factor->logs != 1)
        fprintf(to, "^{%d}", factor->logs);
    fprintf(to, " %s", x);
}

/* --- Every language
 * -----------------------------------------------------------------------
 */

/* The name of a parameter as the language writes it; new in a buffer of the caller. */
static void name_parameter(enum mm_formula_language language,
                           const struct mm_method_info *method, size_t index, char *name,
                           size_t size)
{
    FILE *to;

    if (language == MM_FORMULA_TEXT)
        snprintf(name, size, "%s", method->values[index].name);
    else if (language != MM_FORMULA_LATEX)
        mm_formula_variable(method, index, name);
    else if ((to = fmemopen(name, size, "w"))) {
        mm_formula_write_latex_name(to, method->values[index].name);
        fclose(to);
        name[size - 1] = '\0';
    }
}

static void write_factor(FILE *to, enum mm_formula_language language,
                         const struct mm_factor *factor, const char *x)
{
    if (language == MM_FORMULA_TEXT)
        text_factor(to, factor, x);
    else if (language == MM_FORMULA_LATEX)
        latex_factor(to, factor, x);
    else
        code_factor(to, factor, x, language == MM_FORMULA_PYTHON ? "math." : "");
}

/* The place of a break; one with a power of ten in braces, for it may get a power. */
static void latex_place(double at, char *text, size_t size)
{
    FILE *to = fmemopen(text, size, "w");
    int braces = at >= 1e6 || at < 1e-4;

    if (!to)
        return;
    fputs(braces ? "{(" : "", to);
    latex_number(to, at);
    fputs(braces ? ")}" : "", to);
    fclose(to);
}

/* A hinge or a jump, as text or LaTeX. */
static void write_break(FILE *to, enum mm_formula_language language,
                        const struct mm_basis *basis, const char *x)
{
    int latex = language == MM_FORMULA_LATEX;
    char place[60];

    if (latex)
        latex_place(basis->at, place, sizeof place);
    else
        print_place(basis->at, place, sizeof place);
    if (basis->kind == MM_BASIS_JUMP) {
        fprintf(to, latex ? "[%s > %s]" : "(%s > %s)", x, place);
        return;
    }
    fputs(latex ? "\\max(0, " : "max(0, ", to);
    write_factor(to, language, &basis->factor[0], x);
    fputs(" - ", to);
    write_factor(to, language, &basis->factor[0], place);
    fputc(')', to);
}

static void write_basis(FILE *to, enum mm_formula_language language,
                        const struct mm_basis *basis, const struct mm_method_info *method)
{
    char x[900] = "";

    for (size_t i = 0; i < basis->factors; i++) {
        name_parameter(language, method, basis->factor[i].parameter, x, sizeof x);
        if (basis->kind == MM_BASIS_PRODUCT) {
            if (i)
                fputs(language == MM_FORMULA_LATEX ? " \\, " : " * ", to);
            write_factor(to, language, &basis->factor[i], x);
        } else if (language == MM_FORMULA_TEXT || language == MM_FORMULA_LATEX) {
            write_break(to, language, basis, x);
        } else {
            code_break(to, basis, x, language == MM_FORMULA_PYTHON);
        }
    }
}

static void write_cost(FILE *to, enum mm_formula_language language, int counts, double ns)
{
    if (language == MM_FORMULA_TEXT) {
        mm_formula_write_cost(to, counts, ns);
    } else if (language == MM_FORMULA_LATEX) {
        latex_number(to, counts ? ns : ns / 1000);
        if (!counts)
            fputs(" \\, \\mathrm{\\mu s}", to);
    } else {
        mm_formula_write_exact(to, ns);
    }
}

/* A term with its sign, which joins it to those before it. */
static void write_term(FILE *to, enum mm_formula_language language,
                       const struct mm_form *form, size_t i, int first,
                       const struct mm_method_info *method, int counts)
{
    fputs(form->a[i] < 0 ? first ? "-" : " - " : first ? "" : " + ", to);
    write_cost(to, language, counts, fabs(form->a[i]));
    if (form->basis[i].kind == MM_BASIS_ONE)
        return;
    fputs(language == MM_FORMULA_LATEX ? " \\cdot " : " * ", to);
    write_basis(to, language, &form->basis[i], method);
}

void mm_formula_write(FILE *to, enum mm_formula_language language,
                      const struct mm_form *form, const struct mm_method_info *method,
                      int counts)
{
    int first = 1;

    for (int constants = 1; constants >= 0; constants--) /* the constant comes first */
        for (size_t i = 0; i < form->count; i++)
            if ((form->basis[i].kind == MM_BASIS_ONE) == constants &&
                (form->a[i] != 0 || form->count == 1)) {
                write_term(to, language, form, i, first, method, counts);
                first = 0;
            }
    if (first)
        write_cost(to, language, counts, 0);
}

/* --- Into the caller's memory
 * -------------------------------------------------------------
 */

int mm_form_print(const struct mm_form *form, const struct mm_method_info *method,
                  int counts, char *text, size_t size)
{
    char *whole = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&whole, &length);

    if (size)
        text[0] = '\0';
    if (!to)
        return 0;
    mm_formula_write(to, MM_FORMULA_TEXT, form, method, counts);
    if (fclose(to) == 0)
        snprintf(text, size, "%s", whole);
    free(whole);
    return (int)length;
}
