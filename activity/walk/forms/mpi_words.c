/* SPDX-License-Identifier: BSD-3-Clause */
/* mpi_words.c: names and expressions of a model in C. */
#include <string.h>

#include "activity/walk/forms/mpi_core.h"
#include "common/expr/words.h"

/* Names that a variable must not have: from C headers, and the program's own. */
static const char taken_words[] =
    "is_process count_nodes EOF FILE I M_E M_PI NULL a64l abort abs absolute access "
    "acos acosh alloca argc argument argv asctime asin asinh at_quick_exit atan atan2 "
    "atanh atexit atof atoi atol basename bcmp bcopy begin begin_message bool bsearch "
    "bzero calloc canonicalize cbrt ceil clearenv clock clock_t close connect "
    "copysign cos cosh cpu_time ctermid ctime cuserid daylight ddiv difftime div dmul "
    "dprintf drand48 drem dremf dsub dysize ecvt environ erand48 erf errno exit exp "
    "exp10 exp2 expm1 fabs fadd false fclose fcvt fdim fdiv feof ferror fflush ffs "
    "fgets fileno finite floor fma fmax fmin fmod fmul fopen fork fputs fread free "
    "frexp fscanf fseek fsub ftell fwrite gamma gcvt getc getchar getdelim getenv "
    "getline getloadavg getpt gets getsubopt getw given gmtime hypot ilogb index "
    "initstate isinf isnan j0 j1 jn jrand48 kill known l64a labs larger lasted "
    "lcong48 ldexp ldiv lesser lgamma link linux llabs lldiv llrint llround localtime "
    "log log10 log1p log2 logb lrand48 lrint lround main malloc mblen mbstowcs mbtowc "
    "mkdtemp mkstemp mktemp mktime modf mrand48 nan nanosleep nearbyint nextafter "
    "nrand48 nthread omp_get_num_threads omp_get_thread_num on_exit open pause pclose "
    "perror pid_t pipe popen pow pow10 printf putc putchar putenv puts putw qsort "
    "quick_exit rand random rank read realloc realpath receive_from recv remainder "
    "remove remquo rename renameat requests rewind rindex rint room round roundeven "
    "scalb scale scanf seed48 select send send_to set_globals setbuf setenv "
    "setlinebuf setstate setvbuf signal signbit significand sin sincos sinh sink size "
    "size_t sleep snprintf spin sprintf sqrt srand srand48 srandom sscanf stat stderr "
    "stdin stdout stime sync system tan tanh tgamma tid tid_ time time_t timer_t "
    "timezone tmpfile together true trunc truncate tzname ungetc unix vprintf wait "
    "wait_for wcstombs wctomb write wrong y0 y1 yn";

static int is_taken(const char *name)
{
    size_t length = strlen(name);

    return cca_is_keyword(CCA_C, name, length) ||
           cca_is_word(taken_words, name, length) || strncmp(name, "MPI_", 4) == 0 ||
           strncmp(name, "str", 3) == 0 || strncmp(name, "mem", 3) == 0 ||
           strncmp(name, "PMPI_", 5) == 0 || strncmp(name, "last_", 5) == 0 ||
           strstr(name, "_messages_") != NULL || strncmp(name, "__", 2) == 0;
}

static char *ring(void)
{
    static char texts[8][400];
    static int at;

    at = (at + 1) % 8;
    return texts[at];
}

const char *act_mpi_name(const char *name)
{
    char *text;

    if (!is_taken(name))
        return name;
    text = ring();
    snprintf(text, 400, "%.390s_", name);
    return text;
}

const char *act_mpi_prefixed(const char *prefix, const char *name)
{
    char *text = ring();

    snprintf(text, 400, "%s_%.380s", prefix, name);
    return text;
}

static const char *math_word(const struct act_expr *e)
{
    static const char *const names[ACT_MATHS] = {
        [ACT_MIN] = "fmin",        [ACT_MAX] = "fmax",  [ACT_FLOOR] = "(long)floor",
        [ACT_CEIL] = "(long)ceil", [ACT_SQRT] = "sqrt", [ACT_LOG2] = "log2",
        [ACT_LOG] = "log",         [ACT_EXP] = "exp",   [ACT_POW] = "pow",
        [ACT_ABS] = "fabs"};

    if (e->type == ACT_LONG && e->which == ACT_MIN)
        return "lesser";
    if (e->type == ACT_LONG && e->which == ACT_MAX)
        return "larger";
    return e->type == ACT_LONG && e->which == ACT_ABS ? "labs" : names[e->which];
}

static const char *word(void *context, const struct act_expr *e)
{
    int *has_nodes = context;

    *has_nodes |= e->kind == ACT_BUILTIN && e->which == ACT_NNODE;
    switch (e->kind) {
    case ACT_VARIABLE:
        return act_mpi_name(e->variable->name);
    case ACT_BUILTIN:
        return e->which == ACT_UID ? "(pid*nthread + tid)" : NULL;
    case ACT_CALL_FUNCTION:
        return act_mpi_prefixed("cost", e->function->name);
    case ACT_CALL_MATH:
        return math_word(e);
    case ACT_INDEX:
        return act_mpi_prefixed("table", e->table->name);
    default:
        return NULL;
    }
}

void act_mpi_expression(const struct mpi *p, const struct act_expr *e)
{
    const struct act_expr_words words = {
        .context = p->has_nodes, .word = word, .is_c = 1};

    act_expr_print_as(e, &words, p->out);
}

void act_mpi_expression_or(const struct mpi *p, const struct act_expr *e,
                           const char *otherwise)
{
    if (e)
        act_mpi_expression(p, e);
    else
        fputs(otherwise, p->out);
}

void act_mpi_guard(const struct mpi *p, const struct act_expr *e)
{
    int is_condition = e->kind == ACT_BINARY
                           ? e->which < ACT_ADD
                           : e->kind == ACT_UNARY && e->which == ACT_NOT;

    fputs(is_condition ? "" : "(", p->out);
    act_mpi_expression(p, e);
    fputs(is_condition ? "" : ") != 0", p->out);
}

void act_mpi_indent(const struct mpi *p)
{
    for (int i = 0; i < p->indent; i++)
        fputs("    ", p->out);
}

const char *act_mpi_type(enum act_type type)
{
    return type == ACT_LONG ? "long" : "double";
}
