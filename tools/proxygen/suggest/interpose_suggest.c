/* SPDX-License-Identifier: BSD-3-Clause */
/* interpose_suggest.c: propose marks by names and types of arguments, with reasons. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/proxygen/perf/expr.h"
#include "tools/proxygen/perf/marks.h"
#include "tools/proxygen/suggest/suggest.h"

enum { FACTORS_MAX = 4, NAME_ROOM = 200 };

/* A function, and the values that have been proposed for it so far. */
struct suggestion {
    struct pg_method *method;
    FILE *out;
    struct cca_error *err;
    char factors[FACTORS_MAX][NAME_ROOM]; /* factors of a product */
    size_t factor_count;
    const struct pg_arg *fields_of; /* the first argument that points to a struct whose
                                       fields are dimensions */
    char fields[FACTORS_MAX][NAME_ROOM]; /* expressions of these fields */
    size_t field_count;
    char count[NAME_ROOM], size[NAME_ROOM]; /* factors of a total size: nmemb * size */
    int unmarked; /* number of names printed so far in the line "not marked, ..." */
};

static const char *const kind_words[] = {"param", "mode", "out", "hint"};

/* Print "    param name = expression        # why". */
static void print_proposal(const struct suggestion *s, const char *kind, const char *name,
                           const char *expression, const char *why)
{
    char text[4 * NAME_ROOM + FACTORS_MAX * (NAME_ROOM + 3)];

    if (strcmp(name, expression) == 0)
        snprintf(text, sizeof text, "%s", name);
    else
        snprintf(text, sizeof text, "%s = %s", name, expression);
    fprintf(s->out, "    %-5s %-28s # %s\n", kind, text, why);
}

/* Propose one value: add it to the method's marks and print it. Returns 0; 1 if the
 * method can have no more values; or -ENOMEM. */
static int propose_value(struct suggestion *s, enum monitor_kind kind, const char *name,
                         const char *expression, const char *why)
{
    struct pg_value value = {0};
    struct cca_error own = {0};
    int status = pg_marks_value(s->method, kind, name, expression, &value, &own);

    if (status == 0)
        status = pg_marks_take(s->method, &value, &own);
    else
        pg_value_done(&value);
    if (status == -ENOMEM)
        return cca_error_set(s->err, status, "out of memory");
    if (status < 0)
        return 1;
    print_proposal(s, kind_words[kind], name, expression, why);
    return 0;
}

static int is_size(enum pg_meaning meaning)
{
    return meaning == PG_SAYS_COUNT || meaning == PG_SAYS_DIMENSION ||
           meaning == PG_SAYS_LENGTH;
}

/* Note an argument, or a field, as a factor of a product or of a total size, if its name
 * has such a meaning. */
static void note_factor(struct suggestion *s, enum pg_meaning meaning, const char *name,
                        const char *expression, const char *why)
{
    name += strspn(name, "_");
    if (meaning == PG_SAYS_COUNT && strcmp(why, "a count") == 0)
        snprintf(s->count, sizeof s->count, "%s", expression);
    if (meaning == PG_SAYS_LENGTH &&
        (strcmp(name, "size") == 0 || strcmp(name, "s") == 0))
        snprintf(s->size, sizeof s->size, "%s", expression);
    if ((meaning == PG_SAYS_DIMENSION || strcmp(name, "nrhs") == 0) &&
        s->factor_count < FACTORS_MAX)
        snprintf(s->factors[s->factor_count++], NAME_ROOM, "%s", expression);
}

static void note_field(struct suggestion *s, const struct pg_arg *arg,
                       const char *expression)
{
    if (s->field_count == 0)
        s->fields_of = arg;
    if (s->fields_of == arg && s->field_count < FACTORS_MAX &&
        strlen(expression) < NAME_ROOM)
        strcpy(s->fields[s->field_count++], expression);
}

/* --- Numbers, and pointers to them ---------------------------------------- */

static int is_fortran(const struct pg_method *method)
{
    return method->symbol[strlen(method->symbol) - 1] == '_';
}

/* True for an argument whose type is a type of sizes, and which has no name in the header
 * ("arg3"). In Fortran functions, such arguments are lengths of strings. */
static int is_nameless_size(const struct suggestion *s, const struct pg_arg *arg)
{
    return strcasestr(arg->type, "size") && !is_fortran(s->method) &&
           strncmp(arg->name, "arg", 3) == 0 && arg->name[3] &&
           strspn(arg->name + 3, "0123456789") == strlen(arg->name + 3);
}

static int suggest_number(struct suggestion *s, const struct pg_arg *arg)
{
    char why[160];
    const char *words;
    enum pg_meaning meaning = pg_suggest_meaning(arg->name, &words);
    int is_mode = arg->is_enum || arg->value.bits == 1 || meaning == PG_SAYS_MODE;

    if (is_nameless_size(s, arg))
        return propose_value(s, MONITOR_PARAM, arg->name, arg->name,
                             "has no name, but the type of sizes");
    if (!is_mode && meaning == PG_SAYS_NOTHING)
        return 1;
    if (arg->is_enum || arg->value.bits == 1)
        snprintf(why, sizeof why, "%s", arg->is_enum ? "an enumeration" : "a boolean");
    else
        snprintf(why, sizeof why, "an integer with the name of %s", words);
    if (!is_mode)
        note_factor(s, meaning, arg->name, arg->name, words);
    return propose_value(s, is_mode ? MONITOR_MODE : MONITOR_PARAM, arg->name, arg->name,
                         why);
}

/* Find the meaning of a pointer's name: the meaning of "len" for "len", "lenp" and
 * "lenptr". */
static enum pg_meaning pointer_meaning(const char *name, const char **words)
{
    enum pg_meaning meaning = pg_suggest_meaning(name, words);
    size_t length = strlen(name),
           last = length > 3 && strcmp(name + length - 3, "ptr") == 0 ? 3 : 1;
    char plain[NAME_ROOM];

    if (meaning != PG_SAYS_NOTHING || length > sizeof plain || length <= last ||
        name[length - last] != 'p')
        return meaning;
    snprintf(plain, sizeof plain, "%.*s", (int)(length - last), name);
    return pg_suggest_meaning(plain, words);
}

static int suggest_pointer(struct suggestion *s, const struct pg_arg *arg)
{
    int fortran = is_fortran(s->method);
    char expression[NAME_ROOM], why[160];
    const char *words;
    enum pg_meaning meaning = pointer_meaning(arg->name, &words);
    enum monitor_kind kind = meaning == PG_SAYS_MODE ? MONITOR_MODE : MONITOR_PARAM;

    if (meaning == PG_SAYS_NOTHING ||
        (arg->pointee.bits == 8 && !(fortran && kind == MONITOR_MODE)))
        return 1;
    if (!arg->points_to_const && !fortran) {
        /* a function that ends its object has no output whose size could be read */
        if (!is_size(meaning) || pg_suggest_ends(s->method->name))
            return 1;
        kind = MONITOR_OUT;
    }
    snprintf(expression, sizeof expression, "*%s", arg->name);
    snprintf(why, sizeof why, "points to an integer%s, with the name of %s",
             kind == MONITOR_OUT    ? " that may be written"
             : arg->points_to_const ? " that is only read"
                                    : ", as Fortran passes numbers",
             words);
    if (kind == MONITOR_PARAM)
        note_factor(s, meaning, arg->name, expression, words);
    return propose_value(s, kind, arg->name, expression, why);
}

/* --- Pointers to structs -------------------------------------------------- */

/* Propose a field of a struct. If the function may write to the struct, the caller need
 * not have set every field before: then only fields named like available input or output
 * are marked, others are proposed in a comment. */
static int suggest_field(struct suggestion *s, const struct pg_arg *arg,
                         const struct pg_type *record, const struct pg_field *field)
{
    char expression[2 * NAME_ROOM], name[2 * NAME_ROOM], why[200];
    const char *words;
    enum pg_meaning meaning;

    if (!field->name || *field->name == '_' || strlen(field->name) > 100 ||
        strlen(arg->name) > 80)
        return 1;
    meaning = pg_suggest_meaning(field->name, &words);
    if (!is_size(meaning) || field->type->kind != PG_TYPE_NUMBER ||
        field->type->scalar.cls != PG_INTEGER || field->type->is_volatile)
        return 1;
    snprintf(expression, sizeof expression, "%s->%s", arg->name, field->name);
    snprintf(name, sizeof name, "%s_%s", arg->name, field->name);
    if (!record->is_const && strncmp(field->name, "avail", 5) != 0) {
        snprintf(why, sizeof why, "if callers have set it: it has the name of %s", words);
        print_proposal(s, "# param", name, expression, why);
        return 0;
    }
    snprintf(why, sizeof why, "a field%s, with the name of %s",
             record->is_const ? " that is only read" : "", words);
    if (meaning == PG_SAYS_DIMENSION)
        note_field(s, arg, expression);
    return propose_value(s, MONITOR_PARAM, name, expression, why);
}

/* True for a struct that is a table of functions, whose fields are the same in each
 * call. */
static int is_self(const struct suggestion *s, const struct pg_type *record)
{
    size_t length = strlen(record->name), own = strlen(s->method->port->name);

    return length >= own &&
           strcmp(record->name + length - own, s->method->port->name) == 0;
}

static int suggest_record(struct suggestion *s, struct pg_arg *arg)
{
    enum { FIELDS_MAX = 60, MOST_OF_ONE = 4 };
    struct pg_type *type = arg->of, *record;
    int status, told = 0;

    if (type && pg_port_open_type(s->method->port, type) < 0)
        return cca_no_memory(s->err);
    record = type && type->kind == PG_TYPE_POINTER ? type->to : NULL;
    if (record && pg_port_open_type(s->method->port, record) < 0)
        return cca_no_memory(s->err);
    if (!record || record->kind != PG_TYPE_RECORD || record->field_count > FIELDS_MAX ||
        is_self(s, record) || (!record->is_const && pg_suggest_begins(s->method->name)))
        return 1; /* the call itself sets the fields, so that their values are not known
                     before it */
    for (size_t i = 0; i < record->field_count && told < MOST_OF_ONE; i++) {
        status = suggest_field(s, arg, record, &record->fields[i]);
        if (status < 0)
            return status;
        told += status == 0;
    }
    return 1;
}

/* --- A function ----------------------------------------------------------- */

static int suggest_product(struct suggestion *s)
{
    char expression[FACTORS_MAX * (NAME_ROOM + 3) + 1] = "", *end = expression;
    const char *name = pg_method_find_arg(s->method, "work", 4) < 0 ? "work" : "product";
    int status;

    if (s->factor_count == 0 && s->field_count > 1) {
        memcpy(s->factors, s->fields, sizeof s->factors);
        s->factor_count = s->field_count;
    }
    if (s->factor_count == 1 && !*s->count)
        snprintf(s->count, sizeof s->count, "%s", s->factors[0]);
    if (s->factor_count < 2 && *s->count && *s->size) {
        snprintf(expression, sizeof expression, "%s * %s", s->count, s->size);
        status = propose_value(s, MONITOR_PARAM, name, expression,
                               "a count of things, and the size of each");
        return status < 0 ? status : 0;
    }
    if (s->factor_count < 2)
        return 0;
    for (size_t i = 0; i < s->factor_count; i++)
        end += snprintf(end, sizeof expression - (size_t)(end - expression), "%s%s",
                        i ? " * " : "", s->factors[i]);
    status = propose_value(s, MONITOR_PARAM, name, expression,
                           "the product of the dimensions");
    return status < 0 ? status : 0;
}

/* True for a string that may be text to process, rather than a file name or a pattern. */
static int is_text(const struct pg_arg *arg)
{
    static const char *const others[] = {"name", "path",   "file", "dir",
                                         "mode", "format", "fmt",  "type"};

    if (!arg->points_to_const || arg->pointee.cls != PG_INTEGER ||
        arg->pointee.bits != 8 || !strstr(arg->type, "char"))
        return 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcasestr(arg->name, others[i]))
            return 0;
    return 1;
}

/* Propose lengths of strings in a comment, if no other size is known: types do not show
 * whether a string ends with 0 or whether its length matters. */
static void propose_texts(const struct suggestion *s)
{
    char name[NAME_ROOM], expression[NAME_ROOM];

    for (size_t i = 0; i < s->method->value_count; i++)
        if (s->method->values[i].kind == MONITOR_PARAM)
            return;
    for (size_t i = 0, told = 0; i < s->method->arg_count && told < 2; i++) {
        const struct pg_arg *arg = &s->method->args[i];

        if (!is_text(arg) || strlen(arg->name) > NAME_ROOM / 2)
            continue;
        snprintf(name, sizeof name, "%s_length", arg->name);
        snprintf(expression, sizeof expression, "strlen(%s)", arg->name);
        print_proposal(s, "# param", name, expression,
                       "if it is a text that ends with 0, and its length matters");
        told++;
    }
}

static int suggest_return(struct suggestion *s)
{
    const struct pg_method *method = s->method;
    int status;

    if (method->result_value.cls != PG_INTEGER || !strstr(method->result, "size_t"))
        return 0;
    status = propose_value(s, MONITOR_OUT, "returned", "return", "a size is returned");
    return status < 0 ? status : 0;
}

/* Print "    # not marked, their names mean nothing to proxygen: fd, arg3". */
static void print_unmarked(struct suggestion *s, const char *name)
{
    if (!s->unmarked)
        fprintf(s->out, "    # not marked, their names mean nothing to proxygen:");
    else if (s->unmarked % 8 == 0)
        fprintf(s->out, ",\n    #    ");
    fprintf(s->out, "%s %s", s->unmarked && s->unmarked % 8 ? "," : "", name);
    s->unmarked++;
}

static int suggest_function(struct suggestion *s)
{
    struct pg_method *method = s->method;
    char left[64] = {0}; /* left[i]: true if the argument with index i is not marked */
    int status = 0;

    fprintf(s->out, "function %s\n", method->name);
    for (size_t i = 0; i < method->arg_count && status >= 0; i++) {
        struct pg_arg *arg = &method->args[i];

        status = arg->value.cls == PG_INTEGER     ? suggest_number(s, arg)
                 : arg->pointee.cls == PG_INTEGER ? suggest_pointer(s, arg)
                                                  : suggest_record(s, arg);
        if (status == 1 && arg->value.cls == PG_INTEGER && i < sizeof left)
            left[i] = 1;
    }
    if (status >= 0)
        status = suggest_product(s);
    if (status >= 0)
        status = suggest_return(s);
    if (status >= 0)
        propose_texts(s);
    for (size_t i = 0; i < method->arg_count && i < sizeof left && status >= 0; i++)
        if (left[i])
            print_unmarked(s, method->args[i].name);
    if (s->unmarked)
        fputc('\n', s->out);
    return status < 0 ? status : 0;
}

int pg_suggest_function(struct pg_method *method, const struct pg_handling *handling,
                        FILE *out, struct cca_error *err)
{
    struct suggestion s = {.method = method, .out = out, .err = err};
    int status = suggest_function(&s);

    if (status == 0 && handling)
        pg_handling_tell(handling, method, out);
    if (status == 0 && !method->value_count && !(handling && handling->uses))
        fputs("    # nothing is marked: a model is one cost for all calls\n", out);
    return status;
}

/* Clear the marks that were set while values were proposed, and parse the proposed text
 * as if it came from a file. */
static int read_proposal(struct pg_port *port, const char *text, size_t length,
                         struct cca_error *err)
{
    struct pg_source source = {.file = "suggestion",
                               .text = text,
                               .length = length,
                               .line = 1,
                               .column = 1,
                               .lines = 1};

    for (size_t i = 0; i < port->method_count; i++)
        pg_method_clear_marks(&port->methods[i]);
    return pg_marks_sidecar(port, &source, err);
}

/* Write the proposals for all functions to `out`. If `handlings` is not NULL, proposals
 * about handles are written, too. */
static int suggest_all(struct pg_port *port, const struct pg_handling *handlings,
                       FILE *out, struct cca_error *err)
{
    int status = 0;

    for (size_t i = 0; i < port->method_count && status == 0; i++) {
        pg_method_clear_marks(&port->methods[i]);
        status = pg_suggest_function(&port->methods[i], handlings ? &handlings[i] : NULL,
                                     out, err);
    }
    return status;
}

int pg_interpose_suggest(struct pg_port *port, FILE *out, struct cca_error *err)
{
    char *text = NULL;
    size_t length;
    struct pg_handling *handlings = NULL;
    FILE *memory = open_memstream(&text, &length);
    int status = memory ? suggest_all(port, NULL, memory, err) : -ENOMEM;

    if (status == 0) { /* each function has been looked at alone; now find handles that
                          several functions use */
        handlings = pg_handlings_find(port);
        rewind(memory);
        fprintf(memory,
                "# proposed from names and types; correct it in a file, for --sidecar\n"
                "header %s\n",
                port->name);
        status = handlings ? suggest_all(port, handlings, memory, err) : -ENOMEM;
    }
    if (memory && fclose(memory) != 0)
        status = -ENOMEM;
    pg_handlings_free(handlings, port);
    if (status == 0)
        status = read_proposal(port, text, length, err);
    if (status == 0)
        fwrite(text, 1, length, out);
    free(text);
    return status == -ENOMEM ? cca_no_memory(err) : status;
}
