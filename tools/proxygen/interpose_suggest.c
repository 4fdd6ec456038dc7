/* SPDX-License-Identifier: BSD-3-Clause */
/* interpose_suggest.c: marks that names and types of arguments speak for, and why. */
#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "tools/proxygen/interpose.h"
#include "tools/proxygen/perf/expr.h"
#include "tools/proxygen/perf/marks.h"

/* What a name stands for. `whole` names match as they are; the others also as the last part of
 * a longer one: "sourceLen", "source_len". Case does not count. */
static const struct word {
    const char *text;
    int whole;
    enum monitor_kind kind;
    const char *why;
} words[] = {
    {"len", 0, MONITOR_PARAM, "a length"},
    {"length", 0, MONITOR_PARAM, "a length"},
    {"size", 0, MONITOR_PARAM, "a size"},
    {"sz", 0, MONITOR_PARAM, "a size"},
    {"bytes", 0, MONITOR_PARAM, "a size"},
    {"count", 0, MONITOR_PARAM, "a count"},
    {"cnt", 0, MONITOR_PARAM, "a count"},
    {"num", 0, MONITOR_PARAM, "a count"},
    {"nmemb", 0, MONITOR_PARAM, "a count"},
    {"nitems", 0, MONITOR_PARAM, "a count"},
    {"nelem", 0, MONITOR_PARAM, "a count"},
    {"nel", 0, MONITOR_PARAM, "a count"},
    {"nnz", 0, MONITOR_PARAM, "a count"},
    {"n", 0, MONITOR_PARAM, "a count"},
    {"m", 1, MONITOR_PARAM, "a dimension"},
    {"k", 1, MONITOR_PARAM, "a dimension"},
    {"nx", 1, MONITOR_PARAM, "a dimension"},
    {"ny", 1, MONITOR_PARAM, "a dimension"},
    {"nz", 1, MONITOR_PARAM, "a dimension"},
    {"n0", 1, MONITOR_PARAM, "a dimension"},
    {"n1", 1, MONITOR_PARAM, "a dimension"},
    {"n2", 1, MONITOR_PARAM, "a dimension"},
    {"dim", 0, MONITOR_PARAM, "a dimension"},
    {"dims", 0, MONITOR_PARAM, "a dimension"},
    {"rank", 0, MONITOR_PARAM, "a dimension"},
    {"rows", 0, MONITOR_PARAM, "a dimension"},
    {"cols", 0, MONITOR_PARAM, "a dimension"},
    {"width", 0, MONITOR_PARAM, "a dimension"},
    {"height", 0, MONITOR_PARAM, "a dimension"},
    {"depth", 0, MONITOR_PARAM, "a dimension"},
    {"stride", 0, MONITOR_PARAM, "a stride"},
    {"ld", 1, MONITOR_PARAM, "a stride"},
    {"lda", 1, MONITOR_PARAM, "a stride"},
    {"ldb", 1, MONITOR_PARAM, "a stride"},
    {"ldc", 1, MONITOR_PARAM, "a stride"},
    {"inc", 0, MONITOR_PARAM, "a stride"},
    {"incx", 1, MONITOR_PARAM, "a stride"},
    {"incy", 1, MONITOR_PARAM, "a stride"},
    {"flag", 0, MONITOR_MODE, "a flag"},
    {"flags", 0, MONITOR_MODE, "flags"},
    {"level", 0, MONITOR_MODE, "a level"},
    {"mode", 0, MONITOR_MODE, "a mode"},
    {"axis", 0, MONITOR_MODE, "an axis"},
    {"op", 0, MONITOR_MODE, "an operation"},
    {"operation", 0, MONITOR_MODE, "an operation"},
    {"type", 0, MONITOR_MODE, "a kind"},
    {"kind", 0, MONITOR_MODE, "a kind"},
    {"strategy", 0, MONITOR_MODE, "a choice"},
    {"method", 0, MONITOR_MODE, "a choice"},
    {"whence", 0, MONITOR_MODE, "a choice"},
    {"policy", 0, MONITOR_MODE, "a choice"},
    {"format", 0, MONITOR_MODE, "a choice"},
    {"option", 0, MONITOR_MODE, "a choice"},
    {"options", 0, MONITOR_MODE, "a choice"},
    {"trans", 0, MONITOR_MODE, "a choice"},
    {"transa", 1, MONITOR_MODE, "a choice"},
    {"transb", 1, MONITOR_MODE, "a choice"},
    {"uplo", 1, MONITOR_MODE, "a choice"},
    {"side", 0, MONITOR_MODE, "a choice"},
    {"diag", 1, MONITOR_MODE, "a choice"},
    {"order", 0, MONITOR_MODE, "an order"},
    {"direction", 0, MONITOR_MODE, "a direction"},
    {"sign", 1, MONITOR_MODE, "a direction"},
};

/* True where a part of the name begins at `at`: "_len", "sourceLen", but not "silen". */
static int part_begins(const char *name, size_t at)
{
    return at == 0 || name[at - 1] == '_' ||
           (isupper((unsigned char)name[at]) && islower((unsigned char)name[at - 1])) ||
           isdigit((unsigned char)name[at - 1]);
}

static const struct word *word_of(const char *name)
{
    size_t length;

    name += strspn(name, "_");
    length = strlen(name);
    while (length > 1 && name[length - 1] == '_')
        length--;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t own = strlen(words[i].text);

        if (own > length || strncasecmp(name + length - own, words[i].text, own) != 0)
            continue;
        if (own == length || (!words[i].whole && part_begins(name, length - own)))
            return &words[i];
    }
    /* nbytes, num_rows, n_points: what is counted comes behind. */
    if (strncmp(name, "n_", 2) == 0 || strncmp(name, "num_", 4) == 0)
        return word_of("count");
    if (length > 3 && (strncasecmp(name, "nbytes", 6) == 0 || strncasecmp(name, "nrows", 5) == 0 ||
                       strncasecmp(name, "ncols", 5) == 0))
        return word_of("count");
    return NULL;
}

static int add(struct pg_method *method, enum monitor_kind kind, const char *name, int follow,
               struct cca_error *err)
{
    struct pg_value value = {0};
    struct cca_error own = {0};
    char text[300];
    int status;

    snprintf(text, sizeof text, "%s%s", follow ? "*" : "", name);
    status = pg_marks_value(method, kind, name, text, &value, &own);
    if (status == 0)
        status = pg_marks_take(method, &value, &own);
    else
        pg_value_done(&value);
    /* No room for one more, say: it stays unmarked. */
    return status == -ENOMEM ? cca_error_set(err, status, "out of memory") : status < 0;
}

struct proposal {
    int marked, follow; /* as `*name` */
    enum monitor_kind kind;
    char why[120];
};

static struct proposal propose(const struct pg_method *method, const struct pg_arg *arg)
{
    const struct word *word = word_of(arg->name);
    int fortran = method->symbol[strlen(method->symbol) - 1] == '_';
    struct proposal p = {0};

    if (arg->value.cls == PG_INTEGER) {
        p.marked = arg->is_enum || arg->value.bits == 1 || word;
        p.kind = arg->is_enum || arg->value.bits == 1 ? MONITOR_MODE
                 : word                               ? word->kind
                                                      : MONITOR_PARAM;
        if (arg->is_enum || arg->value.bits == 1)
            snprintf(p.why, sizeof p.why, "%s", arg->is_enum ? "an enumeration" : "a boolean");
        else if (word)
            snprintf(p.why, sizeof p.why, "an integer with the name of %s", word->why);
    } else if (arg->pointee.cls == PG_INTEGER && word &&
               (arg->pointee.bits > 8 || (fortran && word->kind == MONITOR_MODE))) {
        p.marked = p.follow = 1;
        p.kind = arg->points_to_const || fortran ? word->kind : MONITOR_OUT;
        snprintf(p.why, sizeof p.why, "points to an integer%s, with the name of %s",
                 p.kind != MONITOR_OUT  ? arg->points_to_const ? " that is only read"
                                                               : ", as Fortran passes numbers"
                                        : " that may be written",
                 word->why);
    }
    return p;
}

static const char *const kind_words[] = {"param", "mode", "out"};

int pg_suggest_function(struct pg_method *method, FILE *out, struct cca_error *err)
{
    fprintf(out, "function %s\n", method->name);
    for (size_t i = 0; i < method->arg_count; i++) {
        const struct pg_arg *arg = &method->args[i];
        struct proposal p = propose(method, arg);
        int status = p.marked ? add(method, p.kind, arg->name, p.follow, err) : 0;

        if (status < 0)
            return status;
        if (p.marked && status == 0)
            fprintf(out, "    %-5s %s%s%s    # %s\n", kind_words[p.kind], arg->name,
                    p.follow && p.kind != MONITOR_OUT ? " = *" : "",
                    p.follow && p.kind != MONITOR_OUT ? arg->name : "", p.why);
        else if (arg->value.cls == PG_INTEGER)
            fprintf(out, "    # not marked: %s, an integer whose name says neither how much "
                         "nor how\n", arg->name);
    }
    return 0;
}

int pg_interpose_suggest(struct pg_port *port, FILE *out, struct cca_error *err)
{
    int status = 0;

    fprintf(out, "# proposed from names and types; correct it in a file, for --sidecar\n"
                 "header %s\n", port->name);
    for (size_t i = 0; i < port->method_count && status == 0; i++)
        status = pg_suggest_function(&port->methods[i], out, err);
    return status;
}
