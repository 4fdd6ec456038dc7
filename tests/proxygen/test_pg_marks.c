/* SPDX-License-Identifier: BSD-3-Clause */
/* test_pg_marks.c: the mark-up language: expressions, annotations, sidecars, describe. */
#include "tests/lib/test.h"
#include "tools/proxygen/perf/describe.h"
#include "tools/proxygen/perf/expr.h"
#include "tools/proxygen/perf/marks.h"
#include "tools/proxygen/perf/word.h"

static const struct {
    const char *name, *type;
    struct pg_scalar value, pointee;
} trial_args[] = {
    {"axis", "int", {PG_INTEGER, 32, 1}, {PG_OTHER, 0, 0}},
    {"nx", "int", {PG_INTEGER, 32, 1}, {PG_OTHER, 0, 0}},
    {"ny", "unsigned", {PG_INTEGER, 32, 0}, {PG_OTHER, 0, 0}},
    {"size", "size_t", {PG_INTEGER, 64, 0}, {PG_OTHER, 0, 0}},
    {"dt", "double", {PG_FLOATING, 64, 1}, {PG_OTHER, 0, 0}},
    {"f", "float", {PG_FLOATING, 32, 1}, {PG_OTHER, 0, 0}},
    {"count", "int64_t *", {PG_OTHER, 0, 0}, {PG_INTEGER, 64, 1}},
    {"error", "double *", {PG_OTHER, 0, 0}, {PG_FLOATING, 64, 1}},
    {"patch", "const struct patch *", {PG_OTHER, 0, 0}, {PG_OTHER, 0, 0}},
};
enum { ARGS = sizeof trial_args / sizeof *trial_args };

/* A port "trial_port" with methods `compute` (the arguments above) and `poke` (none). */
static struct pg_port *trial_port(void)
{
    struct pg_port *port = calloc(1, sizeof *port);
    struct pg_method *method;

    assert_non_null(port);
    port->name = strdup("trial_port");
    port->type = strdup("test.TrialPort/1");
    method = pg_port_add_method(port);
    method->name = strdup("compute");
    method->result = strdup("int");
    method->result_value = (struct pg_scalar){PG_INTEGER, 32, 1};
    for (size_t i = 0; i < ARGS; i++) {
        struct pg_arg *arg = pg_method_add_arg(method);

        arg->name = strdup(trial_args[i].name);
        arg->type = strdup(trial_args[i].type);
        arg->value = trial_args[i].value;
        arg->pointee = trial_args[i].pointee;
    }
    method = pg_port_add_method(port);
    method->name = strdup("poke");
    method->result = strdup("void");
    return port;
}

static struct pg_source source_of(const char *text)
{
    return (struct pg_source){
        .file = "t", .text = text, .length = strlen(text), .line = 1, .column = 1};
}

/* Parse a whole text as an expression of `compute`. */
static struct pg_expr *parse(const struct pg_port *port, const char *text,
                             struct cca_error *err)
{
    struct pg_source source = source_of(text);
    struct pg_expr *expr = NULL;
    struct pg_lexer lexer;

    if (pg_lex_init(&lexer, &source, err) < 0 ||
        pg_expr_parse(&lexer, &port->methods[0], &expr) < 0)
        return NULL;
    if (lexer.token.kind != CCA_TOKEN_END) {
        pg_lex_fail(&lexer, "more follows");
        pg_expr_free(expr);
        return NULL;
    }
    return expr;
}

/* Where the arguments lie for a value. */
struct memory {
    int axis, nx;
    unsigned ny;
    size_t size;
    double dt;
    float f;
    int64_t pointed, *count;
    double *error;
    void *patch;
};

enum form { AS_TEXT, AS_C, AS_PARAM, AS_OUT };

static char *printed(const struct pg_port *port, const struct pg_expr *expr,
                     enum form form)
{
    const char *names[ARGS];
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);

    for (size_t i = 0; i < ARGS; i++)
        names[i] = trial_args[i].name;
    assert_non_null(memory);
    const struct pg_value value = {.kind = form == AS_OUT ? MONITOR_OUT : MONITOR_PARAM,
                                   .expr = (struct pg_expr *)expr};
    const struct pg_c_names called = {.args = names, .result = "result"};

    if (form == AS_TEXT)
        pg_expr_print(memory, expr, &port->methods[0]);
    else if (form == AS_C)
        pg_expr_print_c(memory, expr, &port->methods[0], &called);
    else
        pg_value_print_c(memory, &value, &port->methods[0], &called);
    fclose(memory);
    return text;
}

TEST(an_expression_is_reprinted_from_its_tree)
{
    static const struct {
        const char *in, *text, *c;
        /* clang-format off */
    } cases[] = {
        {"nx", "nx", "nx"}, {"nx*ny", "nx * ny", "proxy_mul(nx, ny)"},
        {"nx * axis", "nx * axis", "(int64_t)nx * axis"},
        {"((nx)) + (axis + 1)", "nx + (axis + 1)", "(int64_t)nx + ((int64_t)axis + 1)"},
        {"(nx+axis)-1", "nx + axis - 1", "(int64_t)nx + axis - 1"},
        {"nx-(axis-1)", "nx - (axis - 1)", "(int64_t)nx - ((int64_t)axis - 1)"},
        {"2*nx", "2 * nx", "(int64_t)2 * nx"},
        {"nx*axis*nx", "nx * axis * nx", "proxy_mul((int64_t)nx * axis, nx)"},
        {"size", "size", "(int64_t)size"},
        {"size+1", "size + 1", "proxy_add((int64_t)size, 1)"},
        {"nx / axis", "nx / axis", "proxy_div(nx, axis)"},
        {"nx / 2", "nx / 2", "(int64_t)nx / 2"}, {"nx % 7", "nx % 7", "(int64_t)nx % 7"},
        {"-nx", "-nx", "-(int64_t)nx"}, {"!nx", "!nx", "!nx"},
        {"nx<ny", "nx < ny", "proxy_lt(nx, ny)"},
        {"(nx < ny) + axis", "(nx < ny) + axis", "proxy_lt(nx, ny) + axis"},
        {"nx == 1 || ny > 2 && axis", "nx == 1 || ny > 2 && axis", "proxy_eq(nx, 1) || (proxy_gt(ny, 2) && axis)"},
        {"nx*axis ? 1 : dt", "nx * axis ? 1 : dt", "proxy_ne((int64_t)nx * axis, 0) ? (int64_t)1 : dt"},
        {"nx ? 1 : axis ? 2 : 3", "nx ? 1 : axis ? 2 : 3", "nx ? (int64_t)1 : (axis ? (int64_t)2 : (int64_t)3)"},
        {"nx & axis == 1", "nx & axis == 1", "(int64_t)nx & proxy_eq(axis, 1)"},
        {"1 << nx + 1", "1 << nx + 1", "proxy_shl(1, (int64_t)nx + 1)"},
        {"min(nx, dt)", "min(nx, dt)", "proxy_least(nx, dt)"},
        {"'N' + 1", "78 + 1", "(int64_t)78 + 1"},
        {"sizeof(unsigned long) * nx", "sizeof(unsigned long) * nx", "(int64_t)8 * nx"},
        {"count[nx]", "count[nx]", "(count && proxy_within(nx, 0) ? count[nx] : 0)"},
        {"count[2] + *count", "count[2] + *count", "proxy_add((count ? count[2] : 0), (count ? *count : 0))"},
        {"count ? 1 : 2", "count ? 1 : 2", "count ? (int64_t)1 : (int64_t)2"},
        {"- -nx", "-(-nx)", "-(-(int64_t)nx)"},
        {"-(nx + 1)", "-(nx + 1)", "-((int64_t)nx + 1)"},
        {"-size", "-size", "proxy_sub(0, (int64_t)size)"},
        {"+nx", "nx", "nx"},
        {"0x10 * nx", "16 * nx", "(int64_t)16 * nx"},
        {"dt * nx", "dt * nx", "dt * nx"}, {"f * f", "f * f", "(double)f * (double)f"},
        {"1 / dt", "1 / dt", "proxy_ratio(1, dt)"}, {"dt / 3", "dt / 3", "dt / 3"},
        {"nx * axis * .5", "nx * axis * 0.5", "(int64_t)nx * axis * 0.5"},
        {"nx / 2 * dt", "nx / 2 * dt", "(int64_t)nx / 2 * dt"},
        {"dt * (nx / axis)", "dt * (nx / axis)", "dt * proxy_div(nx, axis)"},
        {"1e3 + 2.", "1e+03 + 2.0", "1e+03 + 2.0"},
        {"*count", "*count", "(count ? *count : 0)"},
        {"*(count) * 8", "*count * 8", "proxy_mul((count ? *count : 0), 8)"},
        {"nx * *count", "nx * *count", "proxy_mul(nx, (count ? *count : 0))"},
        {"*error", "*error", "(error ? *error : 0)"},
    };
    /* clang-format on */
    struct pg_port *port = trial_port();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cca_error err = {0};
        struct pg_expr *expr = parse(port, cases[i].in, &err), *again;
        char *text, *c;

        if (!expr)
            fail_msg("%s: %s", cases[i].in, err.text);
        text = printed(port, expr, AS_TEXT);
        c = printed(port, expr, AS_C);
        assert_string_equal(text, cases[i].text);
        assert_string_equal(c, cases[i].c);
        again = parse(port, text, &err);
        assert_true(again && pg_expr_equal(expr, again));
        pg_expr_free(again);
        pg_expr_free(expr);
        free(text);
        free(c);
    }
    pg_port_free(port);
}

/* What cannot be reached is absent, and no value that is there is taken for that. */
TEST(a_value_is_absent_or_present)
{
    static const struct {
        const char *in, *c;
    } cases[] = {
        {"nx * 3", "(int64_t)nx * 3"},
        {"size", "proxy_present((int64_t)size)"},
        {"nx * ny", "proxy_present(proxy_mul(nx, ny))"},
        {"dt * nx", "dt * nx"},
        {"*count", "count ? proxy_present(*count) : MONITOR_ABSENT"},
        {"*count % 5", "count ? (int64_t)*count % 5 : MONITOR_ABSENT"},
        {"*error * *count", "error && count ? *error * *count : MONITOR_ABSENT_DOUBLE"},
        {"nx ? *count : 3",
         "__extension__({ int proxy_gone = 0; int64_t proxy_value = (int64_t)nx ? (count "
         "? (int64_t)*count : "
         "proxy_missing(&proxy_gone)) : (int64_t)3; proxy_gone ? MONITOR_ABSENT : "
         "proxy_present(proxy_value); })"},
    };
    struct pg_port *port = trial_port();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (enum form form = AS_PARAM; form <= AS_OUT; form++) {
            struct cca_error err = {0};
            struct pg_expr *expr = parse(port, cases[i].in, &err);
            char *c = expr ? printed(port, expr, form) : NULL;

            assert_string_equal(c, cases[i].c);
            pg_expr_free(expr);
            free(c);
        }
    pg_port_free(port);
}

TEST(the_smallest_number_is_not_absent)
{
    struct pg_port *port = trial_port();
    struct memory what = {.count = &what.pointed, .pointed = INT64_MIN};
    void *const args[ARGS] = {&what.axis, &what.nx,    &what.ny,    &what.size, &what.dt,
                              &what.f,    &what.count, &what.error, &what.patch};
    struct cca_error err = {0};
    struct pg_value value = {.kind = MONITOR_PARAM, .expr = parse(port, "*count", &err)};
    struct pg_frame frame = {.args = args};

    assert_non_null(value.expr);
    assert_int_equal(pg_value_take(&value, &frame).i, INT64_MIN + 1);
    what.count = NULL;
    assert_int_equal(pg_value_take(&value, &frame).i, MONITOR_ABSENT);
    pg_expr_free(value.expr);
    pg_port_free(port);
}

TEST(a_wrong_expression_is_refused_where_it_is_wrong)
{
    static const struct {
        const char *in, *message;
        /* clang-format off */
    } cases[] = {
        {"", "t:1:1: error: the end where an argument was expected"},
        {"nx *", "t:1:5: error: the end where an argument was expected"},
        {"nx * nyy", "t:1:6: error: 'nyy' is no argument of 'compute'; did you mean 'ny'?"},
        {"conut", "t:1:1: error: 'conut' is no argument of 'compute'; did you mean 'count'?"},
        {"zebra", "t:1:1: error: 'zebra' is no argument of 'compute'"},
        {"(nx", "t:1:4: error: the end where ')' was expected"},
        {"nx)", "t:1:3: error: more follows"}, {"nx ny", "t:1:4: error: more follows"},
        {"count", "t:1:1: error: 'count' is a pointer (int64_t *); '*count' is a number"},
        {"patch", "t:1:1: error: 'patch' is no number (const struct patch *)"},
        {"*nx", "t:1:2: error: 'nx' is no pointer (int)"},
        {"*patch", "t:1:2: error: 'patch' is no pointer (const struct patch *)"},
        {"patch->n", "t:1:6: error: 'patch' is no pointer; a field of it is reached with '.' (const struct patch *)"},
        {"* 3", "t:1:3: error: '3' is no pointer (a number)"},
        {"count[dt]", "t:1:7: error: an index must be an integer"},
        {"count[-(-1)", "t:1:12: error: the end where ']' was expected"},
        {"nx[1]", "t:1:3: error: 'nx' is neither pointer nor array (int)"},
        {"count[nx ? 0 : 1]", "t:1:7: error: '?:', '&&' and '||' are not allowed here"},
        {"nx ? 1", "t:1:7: error: the end where ':' was expected"},
        {"nx ? count : 1", "t:1:6: error: 'count' is a pointer (int64_t *); '*count' is a number"},
        {"min(nx)", "t:1:7: error: ')' where ',' was expected"},
        {"strlen(count)", "t:1:8: error: 'count' is no string (int64_t *)"},
        {"sizeof(sruct x)", "t:1:8: error: 'sruct x' is neither a type of the header nor an argument of 'compute'"},
        {"countof(count)", "t:1:9: error: 'count' is no array that the header declares with a length (int64_t *)"},
        {"upper(dt)", "t:1:7: error: 'upper' takes an integer"},
        {"dt & 1", "t:1:4: error: '&' takes integers on both sides"},
        {"1.5 << 2", "t:1:5: error: '<<' takes integers on both sides"},
        {"'ab'", "t:1:1: error: ''ab'' is not one character"},
        {"'a", "t:1:1: error: the character has no end, or contains a special character"},
        {"return ? nx : patch", "t:1:15: error: 'patch' is no number (const struct patch *)"},
        {"dt % 2", "t:1:4: error: '%' takes integers on both sides"},
        {"nx / 0", "t:1:4: error: division by zero"},
        {"nx / 0.0", "t:1:4: error: division by zero"},
        {"nx % 0", "t:1:4: error: division by zero"},
        {"9223372036854775808", "t:1:1: error: '9223372036854775808' is out of range"},
        {"1e999", "t:1:1: error: '1e999' is out of range"},
        {"12ab", "t:1:1: error: '12ab' is not a number"},
        {"1.2.3", "t:1:1: error: '1.2.3' is not a number"},
        {"0x", "t:1:1: error: '0x' is not a number"},
        {"nx; system(\"id\")", "t:1:3: error: more follows"},
        {"nx \" x", "t:1:4: error: the string has no end, or contains a special character"},
        {"nx \"x\"", "t:1:4: error: more follows"},
        {"nx\\\nny", "t:1:3: error: '\\' has no meaning in a mark"},
        {"nx\n* zebra", "t:2:3: error: 'zebra' is no argument of 'compute'"},
        {"\x01", "t:1:1: error: '.' has no meaning in a mark"},
    };
    /* clang-format on */
    struct pg_port *port = trial_port();

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct cca_error err = {0};

        assert_null(parse(port, cases[i].in, &err));
        assert_string_equal(err.text, cases[i].message);
        assert_int_equal(err.code, -EINVAL);
    }
    pg_port_free(port);
}

TEST(deep_and_long_expressions_are_refused)
{
    enum { SIZE = 1000000 };
    static const char *const units[] = {"(", "-", "+", "1+", "nx*", "*", "a", "1", "-("};
    struct pg_port *port = trial_port();
    char *text = malloc(SIZE + 4);

    assert_non_null(text);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        struct cca_error err = {0};
        size_t length = 0;

        for (; length < SIZE; length += strlen(units[i]))
            memcpy(text + length, units[i], strlen(units[i]));
        text[length] = 0;
        assert_null(parse(port, text, &err));
        assert_int_equal(err.code, -EINVAL);
    }
    free(text);
    pg_port_free(port);
}

static int64_t value_of(const struct pg_port *port, const char *text,
                        struct memory *memory)
{
    void *const args[ARGS] = {&memory->axis,  &memory->nx,    &memory->ny,
                              &memory->size,  &memory->dt,    &memory->f,
                              &memory->count, &memory->error, &memory->patch};
    struct pg_frame frame = {.args = args};
    struct cca_error err = {0};
    struct pg_expr *expr = parse(port, text, &err);
    int64_t value;

    if (!expr)
        fail_msg("%s: %s", text, err.text);
    value = expr->cls == PG_INTEGER ? pg_expr_value(expr, &frame).i
                                    : (int64_t)pg_expr_value(expr, &frame).d;
    pg_expr_free(expr);
    return value;
}

TEST(integer_arithmetic_saturates_and_never_traps)
{
    struct pg_port *port = trial_port();
    struct memory what = {
        .nx = -7, .ny = 2, .pointed = INT64_MIN, .count = &what.pointed};

    assert_int_equal(value_of(port, "nx / ny", &what), -3);
    assert_int_equal(value_of(port, "nx % ny", &what), -1);
    assert_int_equal(value_of(port, "nx / axis", &what), 0);
    assert_int_equal(value_of(port, "nx % axis", &what), 0);
    assert_int_equal(value_of(port, "*count / -1", &what), INT64_MAX);
    assert_int_equal(value_of(port, "*count % -1", &what), 0);
    assert_int_equal(value_of(port, "-*count", &what), INT64_MAX);
    assert_int_equal(value_of(port, "*count - 1", &what), INT64_MIN);
    assert_int_equal(value_of(port, "*count * ny", &what), INT64_MIN);
    assert_int_equal(value_of(port, "*count * nx", &what), INT64_MAX);
    assert_int_equal(value_of(port, "1 + 2 * 3 - 8 / 4 % 3", &what), 5);
    assert_int_equal(value_of(port, "nx / dt", &what), 0);
    assert_int_equal(value_of(port, "1 << 62", &what), INT64_C(1) << 62);
    assert_int_equal(value_of(port, "1 << 63", &what), INT64_MAX);
    assert_int_equal(value_of(port, "-1 << 64", &what), INT64_MIN);
    assert_int_equal(value_of(port, "1 << nx", &what), 0);
    assert_int_equal(value_of(port, "nx >> 1", &what), -4);
    assert_int_equal(value_of(port, "*count >> 200", &what), -1);
    assert_int_equal(value_of(port, "nx < ny && !axis || 1 / 2", &what), 1);
    assert_int_equal(value_of(port, "nx & 3 | 8", &what), 9);
    assert_int_equal(value_of(port, "dt == 0.0 ? max(nx, 2.5) : 7", &what), 2);
    assert_int_equal(value_of(port, "min(nx, ny) + upper('q')", &what), 'Q' - 7);
    assert_int_equal(
        value_of(port, "sizeof(double) * sizeof(nx) + sizeof(*count)", &what), 40);
    assert_int_equal(value_of(port, "error ? 1 : 2", &what), 2);
    pg_port_free(port);
}

/* Annotations as a header has them: {argument or -1, text}. */
static int annotate(struct pg_port *port, ptrdiff_t arg, const char *text,
                    struct cca_error *err)
{
    struct pg_source source = source_of(text);

    return pg_marks_annotation(&port->methods[0], arg, &source, err);
}

static const char *const sidecar_text = "# what decides the cost\n"
                                        "port test.TrialPort/1\n\n"
                                        "method compute\n"
                                        "    mode  axis { 0: x, 1: y sweep }\n"
                                        "    param nx\n"
                                        "    param Q = nx * ny   # cells\n"
                                        "    param R = dt / 2\n"
                                        "    out   count = *count\n"
                                        "    out   error\n"
                                        "method poke\n"
                                        "    unmeasured\n";

static int sidecar(struct pg_port *port, const char *text, struct cca_error *err)
{
    struct pg_source source = source_of(text);

    source.lines = 1;
    return pg_marks_sidecar(port, &source, err);
}

static int have_one_document(const struct pg_port *a, const struct pg_port *b)
{
    char *one = pg_describe_write(a), *other = pg_describe_write(b);
    int same = one && other && strcmp(one, other) == 0;

    free(one);
    free(other);
    return same;
}

TEST(a_sidecar_says_the_same_as_annotations)
{
    struct pg_port *one = trial_port(), *other = trial_port();
    struct cca_error err = {0};

    assert_int_equal(annotate(one, 0, "mode:0: x, 1: y sweep", &err), 0);
    assert_int_equal(annotate(one, 6, "out", &err), 0);
    assert_int_equal(annotate(one, 1, "param", &err), 0);
    assert_int_equal(annotate(one, 7, "out", &err), 0);
    assert_int_equal(annotate(one, -1, "perf:Q = nx * ny; R = dt / 2;", &err), 0);
    one->methods[1].unmeasured = 1;
    /* Marks that the sidecar's take the place of. */
    assert_int_equal(annotate(other, 3, "param", &err), 0);
    if (sidecar(other, sidecar_text, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(have_one_document(one, other));
    assert_int_equal(one->methods[0].value_count, 6);
    assert_int_equal(pg_method_in_count(&one->methods[0]), 4);
    assert_string_equal(one->methods[0].values[0].labels[1].text, "y sweep");
    pg_value_done(&other->methods[0].values[5]);
    other->methods[0].value_count--;
    assert_false(have_one_document(one, other));
    pg_port_free(one);
    pg_port_free(other);
}

TEST(a_hint_is_known_before_the_call)
{
    static const char *const order[] = {"nx", "Q", "was", "half", "left"};
    struct pg_port *port = trial_port();
    struct cca_error err = {0};
    const struct pg_method *compute;

    assert_int_equal(
        annotate(port, -1,
                 "perf:out left = nx - 1; param nx; hint was = recall ny on nx; "
                 "Q = nx * ny; remember ny on nx; hint half = dt / 2",
                 &err),
        0);
    compute = &port->methods[0];
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(compute->values[i].name, order[i]);
    assert_int_equal(compute->value_count, 5);
    assert_int_equal(pg_method_in_count(compute), 2);
    assert_int_equal(pg_method_known_count(compute), 4);
    assert_int_equal(annotate(port, -1, "perf:hint after = return", &err), -EINVAL);
    assert_non_null(
        strstr(err.text, "'after' is known before the call, 'return' after it"));
    for (int i = 0; i < MONITOR_MAX_OUT - 3; i++) {
        char text[64];

        snprintf(text, sizeof text, "perf:hint h%d = nx + %d", i, i);
        assert_int_equal(annotate(port, -1, text, &err), 0);
    }
    memset(&err, 0, sizeof err);
    assert_int_equal(annotate(port, -1, "perf:hint more = nx", &err), -EINVAL);
    assert_non_null(strstr(err.text, "one value too many in 'compute'"));
    pg_port_free(port);
}

TEST(a_label_without_text_is_its_number)
{
    struct pg_port *port = trial_port();
    struct cca_error err = {0};
    const struct pg_value *mode = NULL;

    assert_int_equal(annotate(port, 0, "mode:0, -1, 7: seven, 9", &err), 0);
    mode = &port->methods[0].values[0];
    assert_int_equal(mode->label_count, 4);
    assert_string_equal(mode->labels[0].text, "0");
    assert_int_equal(mode->labels[1].value, -1);
    assert_string_equal(mode->labels[1].text, "-1");
    assert_string_equal(mode->labels[2].text, "seven");
    pg_port_free(port);
}

TEST(wrong_annotations_are_refused)
{
    static const struct {
        ptrdiff_t arg;
        const char *text, *message;
        /* clang-format off */
    } cases[] = {
        {0, "mode:", "t:1:6: error: the end where the integer of a label was expected"},
        {0, "mode:x", "t:1:6: error: 'x' where the integer of a label was expected"},
        {0, "mode:0: ", "t:1:6: error: a label has 1 to 63 printable characters"},
        {0, "mode:0: a\x01", "t:1:6: error: a label has 1 to 63 printable characters"},
        {0, "mode:0: a, 0: b", "t:1:12: error: value 0 has two labels"},
        {0, "mode:0: a,", "t:1:11: error: the end where the integer of a label was expected"},
        {0, "mode:0 1", "t:1:8: error: '1' where the end was expected"},
        {4, "mode:0: a", "t:1:6: error: mode 'dt' is no integer"},
        {8, "param", "t:1:1: error: 'patch' is no number (const struct patch *)"},
        {6, "param", "t:1:1: error: 'count' is a pointer (int64_t *); '*count' is a number"},
        {1, "out", "t:1:1: error: 'nx' is no pointer (int)"},
        {1, "perf:Q = nx", "t:1:1: error: the mark 'perf:' belongs behind the declarator of 'compute'"},
        {-1, "param", "t:1:1: error: the mark 'param' belongs to an argument of 'compute'"},
        {-1, "parm", "t:1:1: error: unknown mark 'parm'"},
        {-1, "perf:", "t:1:6: error: the end where a name was expected"},
        {-1, "perf:Q", "t:1:7: error: the end where '=' was expected"},
        {-1, "perf:Q = nx, R = 1", "t:1:12: error: ',' where ';' or the end was expected"},
        {-1, "perf:Q = nx; Q = ny", "t:1:14: error: 'Q' is marked twice in 'compute'"},
        {-1, "perf:size\"); system(\"id", "t:1:10: error: '\"); system(\"' where '=' was expected"},
        {-1, "perf:Q = nx */ ny", "t:1:14: error: '/' where an argument was expected"},
        {-1, "perf:Q = return", "t:1:6: error: 'Q' is known before the call, 'return' after it"},
        {0, "mode:\"a\"", "t:1:6: error: '\"a\"' names a string, and 'axis' is a number"},
    };
    /* clang-format on */

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pg_port *port = trial_port();
        struct cca_error err = {0};
        /* Columns of the text count from its own start, as marks.h says: put it back. */
        size_t head = pg_marks_head(cases[i].text);
        struct pg_source source = source_of(cases[i].text);

        source.column = (int)head + 1;
        assert_int_equal(
            pg_marks_annotation(&port->methods[0], cases[i].arg, &source, &err), -EINVAL);
        if (head && strstr(cases[i].message, "t:1:1: "))
            assert_string_equal(strstr(err.text, "error"),
                                strstr(cases[i].message, "error"));
        else
            assert_string_equal(err.text, cases[i].message);
        pg_port_free(port);
    }
}

TEST(the_limits_of_a_row_are_kept)
{
    struct pg_port *port = trial_port();
    struct cca_error err = {0};
    char text[32];

    for (int i = 0; i < MONITOR_MAX_IN; i++) {
        snprintf(text, sizeof text, "perf:v%d = nx", i);
        assert_int_equal(annotate(port, -1, text, &err), 0);
    }
    assert_int_equal(annotate(port, -1, "perf:w = nx", &err), -EINVAL);
    assert_non_null(strstr(err.text, "one value too many in 'compute'"));
    memset(&err, 0, sizeof err);
    assert_int_equal(annotate(port, 6, "out", &err), 0);
    pg_port_free(port);
}

TEST(wrong_sidecars_are_refused)
{
    static const struct {
        const char *text, *message;
        /* clang-format off */
    } cases[] = {
        {"method compute\n", "t:1:1: error: 'method' where 'port' and its type was expected"},
        {"port test.TrialPort/2\n",
         "t:1:1: error: the sidecar is for port 'test.TrialPort/2', the header has 'test.TrialPort/1'"},
        {"port test.TrialPort/1\nparam nx\n", "t:2:1: error: 'param' where 'method' was expected"},
        {"port test.TrialPort/1\nmethod compue\n",
         "t:2:8: error: 'compue' is no method of 'trial_port'; did you mean 'compute'?"},
        {"port test.TrialPort/1\nmethod compute\nmethod compute\n",
         "t:3:8: error: method 'compute' occurs twice"},
        {"port test.TrialPort/1\nmethod compute\n  param Q = nx * nyy\n",
         "t:3:18: error: 'nyy' is no argument of 'compute'; did you mean 'ny'?"},
        {"port test.TrialPort/1\nmethod compute\n  param nxx\n",
         "t:3:9: error: 'nxx' is no argument of 'compute'; did you mean 'nx'?"},
        {"port test.TrialPort/1\nmethod compute\n  param Q = nx ny\n",
         "t:3:16: error: 'ny' where the end of the line was expected"},
        {"port test.TrialPort/1\nmethod compute\n  mode axis\n",
         "t:3:12: error: the end of the line where '{' and the labels of the mode was expected"},
        {"port test.TrialPort/1\nmethod compute\n  mode axis { 0: x\n",
         "t:3:19: error: the end of the line where ',' or '}' was expected"},
        {"port test.TrialPort/1\nmethod compute\n  unmeasured\n  param nx\n",
         "t:4:3: error: method 'compute' has marks and is unmeasured"},
        {"port test.TrialPort/1\nmethod compute\n  param nx\n  unmeasured\n",
         "t:4:3: error: method 'compute' has marks and is unmeasured"},
        {"port test.TrialPort/1\nmethod compute\n  frob nx\n",
         "t:3:3: error: 'frob' where 'param', 'mode', 'hint', 'out', 'get', 'remember', 'forget', 'unmeasured' or 'method' was expected"},
    };
    /* clang-format on */

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pg_port *port = trial_port();
        struct cca_error err = {0};

        assert_int_equal(sidecar(port, cases[i].text, &err), -EINVAL);
        assert_string_equal(err.text, cases[i].message);
        pg_port_free(port);
    }
}

/* Sizes, and layouts of several kinds where arguments are no numbers. */
static void give_layouts(struct pg_port *port)
{
    struct pg_method *method = &port->methods[0];
    struct pg_layout *whole = &method->result_layout, *part;

    port->size = 40;
    method->offset = 16;
    method->result_value = (struct pg_scalar){PG_OTHER, 0, 0};
    *whole = (struct pg_layout){.kind = PG_LAYOUT_STRUCT, .size = 32, .align = 16};
    part = pg_layout_add_part(whole);
    assert_non_null(part);
    assert_int_equal(pg_layout_named("long double", part), 0);
    part = pg_layout_add_part(whole);
    assert_non_null(part);
    *part = (struct pg_layout){
        .kind = PG_LAYOUT_ARRAY, .size = 12, .align = 4, .offset = 16, .count = 3};
    part = pg_layout_add_part(part);
    assert_non_null(part);
    assert_int_equal(pg_layout_named("float", part), 0);
    assert_int_equal(pg_layout_named("flaot", part), -ENOENT);
    for (size_t i = 0; i < method->arg_count; i++)
        if (method->args[i].value.cls == PG_OTHER)
            assert_int_equal(i % 2 ? pg_layout_give_up(&method->args[i].layout, "a union")
                                   : pg_layout_named("pointer", &method->args[i].layout),
                             0);
}

TEST(a_describe_document_reads_back_the_same)
{
    struct pg_port *port = trial_port(), *again;
    struct cca_error err = {0};
    char *text;

    give_layouts(port);
    assert_int_equal(sidecar(port, sidecar_text, &err), 0);
    text = pg_describe_write(port);
    assert_non_null(text);
    again = pg_describe_read(text, strlen(text), "d", &err);
    if (!again)
        fail_msg("%s", err.text);
    assert_true(have_one_document(port, again));
    pg_port_free(again);
    pg_port_free(port);
    free(text);
}

/* Every document with one character damaged is read or refused with words. */
TEST(damaged_describe_documents_do_no_harm)
{
    struct pg_port *port = trial_port();
    struct cca_error err = {0};
    size_t size, read = 0;
    char *text;

    give_layouts(port);
    assert_int_equal(sidecar(port, sidecar_text, &err), 0);
    text = pg_describe_write(port);
    size = strlen(text);
    for (size_t i = 0; i < size; i++) {
        static const char damage[] = "}]\",:0x \x01\xff";
        struct pg_port *again;
        char kept = text[i];

        text[i] = damage[i % (sizeof damage - 1)];
        memset(&err, 0, sizeof err);
        again = pg_describe_read(text, size, "d", &err);
        assert_true(again ? !err.code : err.code && err.text[0]);
        read += again != NULL;
        pg_port_free(again);
        if (i < size - 1) /* the last character is a newline */
            assert_null(pg_describe_read(text, i, "d", NULL));
        text[i] = kept;
    }
    assert_true(read > 0 && read < size);
    free(text);
    pg_port_free(port);
}

TEST(names_and_types_are_checked)
{
    static const char *const good[] = {
        "int",    "const double *", "struct mesh_patch *const *", "unsigned long long",
        "size_t", "double _Complex"};
    static const char *const bad[] = {"",
                                      "*",
                                      "int (*)(int)",
                                      "double[3]",
                                      "int); system(\"id",
                                      "struct (unnamed at x.h:1:1)",
                                      "int /* x */",
                                      "a;b",
                                      "__attribute__ int",
                                      "typeof x",
                                      "int\nx",
                                      "int\\x"};
    static const char *const no_words[] = {"",    "1a",  "a-b",  "int",     "class",
                                           "xor", "a b", "\xc3", "_Atomic", "this"};
    char longest[300];

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(pg_type_ok(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(pg_type_ok(bad[i]));
    for (size_t i = 0; i < sizeof no_words / sizeof *no_words; i++)
        assert_false(pg_word_usable(no_words[i]));
    assert_true(pg_word_usable("nx_1") && pg_word_usable("_a"));
    memset(longest, 'a', 256);
    longest[256] = 0;
    assert_false(pg_word_usable(longest));
    longest[255] = 0;
    assert_true(pg_word_usable(longest));
    assert_true(pg_port_type_ok("shock.FluxPort/1"));
    assert_false(pg_port_type_ok("shock.FluxPort") || pg_port_type_ok("a/") ||
                 pg_port_type_ok("/1") || pg_port_type_ok("a\"/1") ||
                 pg_port_type_ok("a b/1") || pg_port_type_ok("a/1x"));
}

TEST(a_literal_holds_no_escape_trigraph_or_quote)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);

    pg_word_literal(memory, "a\"b\\\n*/?\?/\xff"
                            "1%");
    fclose(memory);
    assert_string_equal(text, "\"a\\042b\\134\\012*/\\077\\077/\\3771%\"");
    free(text);
}

/* A small generator of its own: the same strings on every machine. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* `patch` points to a struct that points to itself. */
static void give_types(struct pg_port *port)
{
    static const struct pg_scalar integer = {PG_INTEGER, 32, 1},
                                  letter = {PG_INTEGER, 8, 1};
    struct pg_type *number = pg_port_add_type(port, PG_TYPE_NUMBER, "int");
    struct pg_type *text = pg_port_add_type(port, PG_TYPE_NUMBER, "char");
    struct pg_type *name = pg_port_add_type(port, PG_TYPE_ARRAY, "char[8]");
    struct pg_type *patch = pg_port_add_type(port, PG_TYPE_RECORD, "struct patch");
    struct pg_type *pointer = pg_port_add_type(port, PG_TYPE_POINTER, "struct patch *");
    const struct pg_field fields[] = {{(char *)"n", number, 0, 0, 0},
                                      {(char *)"name", name, 4, 0, 0},
                                      {(char *)"next", pointer, 16, 0, 0},
                                      {(char *)"bits", number, 24, 3, 5}};

    number->scalar = integer;
    number->size = 4;
    text->scalar = letter;
    text->size = 1;
    text->is_text = 1;
    name->to = text;
    name->count = name->size = 8;
    patch->size = 32;
    pointer->to = patch;
    pointer->size = 8;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        struct pg_field *field = pg_type_add_field(patch);

        *field = fields[i];
        field->name = strdup(fields[i].name);
    }
    port->methods[0].args[8].of = pointer;
}

/* A line of a sidecar. Where it is accepted, it survives a describe document: then 1. */
static int whole_sidecar(const char *line)
{
    static const char *const words[] = {"param a = ", "out b = ", "",
                                        "mode m = ", "remember "};
    static unsigned turn;
    struct pg_port *port = trial_port(), *again;
    struct cca_error err = {0};
    char *text, *document;
    int status;

    give_types(port);
    assert_true(asprintf(&text, "port test.TrialPort/1\nmethod compute\n%s%s\n",
                         words[turn++ % (sizeof words / sizeof *words)], line) > 0);
    status = sidecar(port, text, &err);
    assert_true(status == 0 || (status == -EINVAL && strncmp(err.text, "t:", 2) == 0));
    if (status == 0) {
        for (size_t i = 0; i < port->methods[0].arg_count; i++)
            if (!port->methods[0].args[i].value.cls)
                pg_layout_named("pointer", &port->methods[0].args[i].layout);
        pg_layout_named("void", &port->methods[1].result_layout);
        document = pg_describe_write(port);
        assert_non_null(document);
        again = pg_describe_read(document, strlen(document), "d", &err);
        if (!again)
            fail_msg("%s: %s", text, err.text);
        if (!have_one_document(port, again))
            fail_msg("%s: another port from %s", text, document);
        pg_port_free(again);
        free(document);
    }
    free(text);
    pg_port_free(port);
    return status == 0;
}

TEST(random_marks_do_no_harm_and_read_back)
{
    /* clang-format off */
    static const char *const words[] = {
        "nx", "ny", "axis", "dt", "count", "*count", "size", "patch", "1", "2.5", "0x1f",
        "+", "-", "*", "/", "%", "(", ")", "=", ";", ",", ":", "{", "}", " ", "\n", "\"",
        "\\", "?\?/", "*/", "#", "\xff", "Q", "port", "method", "mode", "param", "out",
        "9999999999999999999", "patch->n", "patch", "->", ".", "next", "name", "bits",
        "[", "]", "&", "|", "<<", ">>", "<", "==", "!", "!=", "&&", "||", "?", " recall ",
        " on ", " remember ", " forget ", " get ", " via ", " after ", " if ", " as ",
        "sizeof(", "strlen(", "strnlen(", "countof(", "min(", "upper(", "'N'", "\"a\"",
        "return", "compute", "poke", "NULL", "unmeasured", "header", "test.TrialPort/1",
    };
    /* clang-format on */
    struct pg_port *port = trial_port();
    uint64_t state = 88172645463325252u;
    int rounds = getenv("SOAK") ? 1000000 : 60000, parsed = 0, described = 0;
    char text[256];

    give_types(port);
    for (int round = 0; round < rounds; round++) {
        struct cca_error err = {0};
        struct pg_expr *expr;
        size_t length = 0, count = 1 + next_random(&state) % 12;

        for (size_t i = 0; i < count; i++) {
            const char *word =
                words[next_random(&state) % (sizeof words / sizeof *words)];

            memcpy(text + length, word, strlen(word));
            length += strlen(word);
        }
        text[length] = 0;
        expr = parse(port, text, &err);
        assert_true(expr ? !err.code : err.code == -EINVAL && err.text[0]);
        if (expr) {
            char *once = printed(port, expr, AS_TEXT), *c = printed(port, expr, AS_C);
            struct pg_expr *again = parse(port, once, &err);

            parsed++;
            assert_true(again && pg_expr_equal(expr, again));
            assert_null(strpbrk(c, pg_expr_may_miss(expr) ? "\"\\#\n" : "\"\\;{}#\n"));
            pg_expr_free(again);
            free(once);
            free(c);
        }
        pg_expr_free(expr);
        described += whole_sidecar(text);
        memset(&err, 0, sizeof err);
        annotate(port, (ptrdiff_t)(next_random(&state) % ARGS), text, &err);
        pg_marks_perf(&port->methods[0],
                      &(struct pg_source){.file = "t", .text = text, .length = length},
                      &err);
        pg_method_clear_marks(&port->methods[0]);
    }
    assert_true(parsed > rounds / 100 && described > rounds / 1000);
    pg_port_free(port);
}

TESTS(NULL, NULL)
