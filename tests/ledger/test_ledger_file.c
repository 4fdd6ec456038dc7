/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of a ledger: lines out and in, lines that are cut or wrong, two writers. */
#include <math.h>

#include "mastermind/ledger/match.h"
#include "tests/lib/test.h"

static char path[] = "/tmp/ledger-XXXXXX";

static int set_up(void **test_state)
{
    int file = mkstemp(path);

    (void)test_state;
    return file < 0 ? -1 : close(file);
}

static int tear_down(void **test_state)
{
    (void)test_state;
    return unlink(path);
}

static void write_file(const char *text, size_t size)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static struct mm_run_value variables[] = {{"NX", "64"}, {"NAME \xff", "a\nb\"c"}};
static struct mm_run_value set[] = {{"driver.config.nx", "64"}};
static struct mm_run_value classes[] = {{"flux", "EFMFlux"}};
static struct mm_ledger_run runs[] = {{"run-001.mm", "17@host"},
                                      {"run-002.mm", "18@host"}};
static struct mm_ledger_quantity quantities[] = {{"calls of a.b.c", 12, 10, 14},
                                                 {"waiting", .1, NAN, NAN}};
static const char *names[] = {"PICTURE"};

static struct mm_ledger_entry statement(void)
{
    return (struct mm_ledger_entry){
        .kind = MM_LEDGER_STATEMENT,
        .at_ns = 1795391441384256383,
        .verb = "predict",
        .program = "0123456789abcdef",
        .script = "a.rc",
        .run = {{variables, 2}, {set, 1}, {classes, 1}, 4, 1},
        .names = names,
        .name_count = 1,
        .machine = {.cpu = "cpu", .caches = {{1, "data", 32768}}, .cache_count = 1},
        .metric = "TIME",
        .unit = "ns",
        .total = "all ranks",
        .value = 1 / 3.,
        .low = .25,
        .high = .4,
        .level = .9,
        .factor = 1.25,
        .beyond = 4,
        .runs = runs,
        .run_count = 2,
        .quantities = quantities,
        .quantity_count = 2};
}

static struct mm_ledger_entry outcome(const char *id)
{
    static struct mm_ledger_run own;
    struct mm_ledger_entry e = statement();

    own = (struct mm_ledger_run){"x.mm", id};
    e.kind = MM_LEDGER_OUTCOME;
    e.verb = NULL;
    e.runs = &own;
    e.run_count = 1;
    return e;
}

TEST(a_line_keeps_every_bit)
{
    struct mm_ledger_entry e = statement(), *r;
    struct mm_ledger ledger;

    assert_int_equal(unlink(path), 0);
    assert_int_equal(mm_ledger_read(&ledger, path, NULL), 0); /* no file: no lines */
    assert_int_equal(ledger.count, 0);
    assert_int_equal(mm_ledger_append(path, &e, 1, NULL, NULL), 0);
    e.low = e.high = NAN;
    e.why = "one run";
    e.script = NULL;
    assert_int_equal(mm_ledger_append(path, &e, 1, NULL, NULL), 0);
    assert_int_equal(mm_ledger_read(&ledger, path, NULL), 0);
    assert_int_equal(ledger.count, 2);
    r = &ledger.entries[0];
    assert_int_equal(r->kind, MM_LEDGER_STATEMENT);
    assert_true(r->at_ns == e.at_ns && r->value == e.value && r->level == e.level);
    assert_true(r->low == .25 && r->high == .4 && r->factor == 1.25 && r->beyond == 4);
    assert_string_equal(r->program, e.program);
    assert_string_equal(r->script, "a.rc");
    assert_string_equal(mm_run_value(&r->run.variables, "NX"), "64");
    assert_string_equal(r->run.set.items[0].name, "driver.config.nx");
    assert_string_equal(r->run.classes.items[0].text, "EFMFlux");
    assert_true(r->run.ranks == 4 && r->run.is_known == 1);
    assert_string_equal(r->names[0], "PICTURE");
    assert_true(mm_machine_same(&r->machine, &e.machine));
    assert_string_equal(r->runs[1].id, "18@host");
    assert_true(r->quantities[0].high == 14 && isnan(r->quantities[1].low));
    assert_true(isnan(ledger.entries[1].low) && !ledger.entries[1].script);
    assert_string_equal(ledger.entries[1].why, "one run");
    mm_ledger_done(&ledger);
}

TEST(an_outcome_is_kept_once)
{
    struct mm_ledger_entry two[2] = {outcome("17@host"), statement()};
    size_t added;

    assert_int_equal(mm_ledger_append(path, two, 2, &added, NULL), 0);
    assert_int_equal(added, 2);
    assert_int_equal(mm_ledger_append(path, two, 1, &added, NULL), 0);
    assert_int_equal(added, 0);
    two[0].metric = "CPU_TIME";
    two[1] = two[0];
    assert_int_equal(mm_ledger_append(path, two, 2, &added, NULL), 0);
    assert_int_equal(added, 1);
}

/* A file that is cut anywhere is read as far as it goes, and goes on to be written. */
TEST(a_line_that_is_cut_is_skipped)
{
    struct mm_ledger_entry e = statement();
    char *line = mm_ledger_line(&e), *text = NULL;
    size_t length = strlen(line);
    struct mm_ledger ledger;

    assert_true(asprintf(&text, "%s\n%s\n", line, line) > 0);
    for (size_t cut = length + 2; cut < 2 * length + 2; cut++) {
        int whole = cut == 2 * length + 1; /* its newline alone is missing */

        if (cut % 3 && cut > length + 60 && cut < 2 * length - 60)
            continue;
        write_file(text, cut);
        assert_int_equal(mm_ledger_read(&ledger, path, NULL), 0);
        assert_int_equal(ledger.count, 1 + whole);
        assert_int_equal(ledger.cut, !whole);
        assert_int_equal(ledger.cut_line, whole ? 0 : 2);
        mm_ledger_done(&ledger);
        assert_int_equal(mm_ledger_append(path, &e, 1, NULL, NULL), 0);
        assert_int_equal(mm_ledger_read(&ledger, path, NULL), 0);
        assert_int_equal(ledger.count, 2 + whole);
        assert_int_equal(ledger.cut, !whole);
        mm_ledger_done(&ledger);
    }
    free(text);
    free(line);
}

/* Read a line with `from` replaced by `to`; the message without the path. */
static void refuses(const char *from, const char *to, const char *message)
{
    struct mm_ledger_entry e = statement();
    char *line = mm_ledger_line(&e), *at = strstr(line, from), *text = NULL;
    char expected[400];
    struct cca_error err = {0};
    struct mm_ledger ledger;

    assert_non_null(at);
    assert_true(asprintf(&text, "%s\n%.*s%s%s\n%s\n", line, (int)(at - line), line, to,
                         at + strlen(from), line) > 0);
    write_file(text, strlen(text));
    assert_int_equal(mm_ledger_read(&ledger, path, &err), -EBADMSG);
    snprintf(expected, sizeof expected, "%s:2: %s", path, message);
    assert_string_equal(err.text, expected);
    mm_ledger_done(&ledger);
    free(text);
    free(line);
}

TEST(a_wrong_line_is_refused_by_its_number)
{
    refuses("statement/1", "statement/2",
            "found 'line' 'statement/2', expected 'line' statement/1 or outcome/1");
    refuses("\"line\":", "\"lime\":",
            "found no 'line', expected 'line' statement/1 or outcome/1");
    refuses("\"level\":0.9", "\"level\":90",
            "found no good 'level', expected a number between 0 and 1");
    refuses("\"at_ns\":1795391441384256383", "\"at_ns\":\"now\"",
            "found no good 'at_ns', expected a whole number of at least 1");
    refuses("\"low\":0.25", "\"low\":0.35",
            "found 'low' 0.35, 'value' 0.333333, 'high' 0.4, expected both ends or none, "
            "around the value");
    refuses("\"low\":0.25", "\"lo\":0.25",
            "found 'low' nan, 'value' 0.333333, 'high' 0.4, expected both ends or none, "
            "around the value");
    refuses("\"ranks\":4", "\"ranks\":0",
            "found no good 'ranks', expected a whole number of at least 1");
}

TEST(other_text_is_refused)
{
    static const char *const texts[] = {"[1]\n", "NX=64\n", "{}\n", "{\"a\" 1}\n",
                                        "{\"a\": 1, \"a\": 2}\n"};
    struct mm_ledger ledger;
    struct cca_error err;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        err = (struct cca_error){0};
        write_file(texts[i], strlen(texts[i]));
        assert_int_equal(mm_ledger_read(&ledger, path, &err), -EBADMSG);
        assert_non_null(strstr(err.text, ":1: found "));
        assert_non_null(strstr(err.text, ", expected "));
        mm_ledger_done(&ledger);
    }
    err = (struct cca_error){0};
    assert_int_equal(mm_ledger_read(&ledger, "/tmp", &err), -EBADMSG);
    assert_non_null(strstr(err.text, "found no regular file"));
}

/* A file with any bytes changed is read or refused, and what is read can be matched. */
TEST(a_damaged_file_is_no_crash)
{
    struct mm_ledger_entry e[2] = {statement(), outcome("17@host")};
    char *text = NULL, *lines[2] = {mm_ledger_line(&e[0]), mm_ledger_line(&e[1])};
    int length = asprintf(&text, "%s\n%s\n", lines[0], lines[1]), refused = 0;
    unsigned random = 1;

    assert_true(length > 0);
    for (int i = 0; i < test_count("LEDGER", 600, 100000); i++) {
        struct mm_ledger ledger;
        size_t at = (random = random * 1664525 + 1013904223) % (unsigned)length;
        char old = text[at];
        int result;

        text[at] = "{}[]\",:0e-x\n"[(random >> 16) % 12];
        write_file(text, (size_t)length);
        result = mm_ledger_read(&ledger, path, NULL);
        assert_true(result == 0 || result == -EBADMSG);
        for (size_t k = 1; k < ledger.count && !result; k++)
            mm_ledger_same_run(&ledger.entries[0], &ledger.entries[k]);
        mm_ledger_done(&ledger);
        refused += result != 0;
        text[at] = old;
    }
    assert_true(refused > 100);
    for (int i = 0; i < 2; i++)
        free(lines[i]);
    free(text);
}

/* Processes that write at the same time: every line is whole, and an outcome that all of
 * them have is there once. */
TEST(several_writers)
{
    enum { WRITERS = 6, LINES = 40 };
    size_t statements = 0, outcomes = 0;
    struct mm_ledger ledger;

    write_file("", 0);
    for (int w = 0; w < WRITERS; w++) {
        pid_t child = fork();

        assert_true(child >= 0);
        if (child)
            continue;
        for (int i = 0; i < LINES; i++) {
            char id[32];
            struct mm_ledger_entry e[2] = {statement()};

            snprintf(id, sizeof id, "%d", i);
            e[1] = outcome(id);
            if (mm_ledger_append(path, e, 2, NULL, NULL))
                _exit(1);
        }
        _exit(0);
    }
    for (int w = 0; w < WRITERS; w++) {
        int status;

        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(mm_ledger_read(&ledger, path, NULL), 0);
    assert_int_equal(ledger.cut, 0);
    for (size_t i = 0; i < ledger.count; i++)
        if (ledger.entries[i].kind == MM_LEDGER_OUTCOME)
            outcomes++;
        else
            statements++;
    assert_int_equal(statements, WRITERS * LINES);
    assert_int_equal(outcomes, LINES);
    mm_ledger_done(&ledger);
}

/* The identity of a program: names, connections and go commands in any order, no classes
 * and no ports without a connection. */
TEST(a_program_is_its_wiring_without_classes)
{
    struct mm_wiring_port flux = {"flux", "shock.FluxPort/1"};
    struct mm_wiring_port more[] = {{"gas", "shock.GasPort/1"}, flux};
    struct mm_instance a[] = {
        {.name = "rhs", .class_name = "R", .uses = &flux, .uses_count = 1},
        {.name = "flux", .class_name = "EFM"}};
    struct mm_instance b[] = {
        {.name = "flux", .class_name = "HLL"},
        {.name = "rhs", .class_name = "R", .uses = more, .uses_count = 2}};
    struct mm_connection connection = {"rhs", "flux", "flux", "flux"};
    struct mm_go go = {"rhs", "go"};
    struct mm_wiring one = {a, &connection, NULL, &go, NULL, 2, 1, 0, 1, 0};
    struct mm_wiring two = {b, &connection, NULL, &go, NULL, 2, 1, 0, 1, 0};
    char x[MM_PROGRAM_TEXT], y[MM_PROGRAM_TEXT];

    assert_int_equal(mm_ledger_program(&one, x), 0);
    assert_int_equal(mm_ledger_program(&two, y), 0);
    assert_string_equal(x, y);
    assert_int_equal(strlen(x), 16);
    two.go_count = 0;
    assert_int_equal(mm_ledger_program(&two, y), 0);
    assert_string_not_equal(x, y);
    two.go_count = 1;
    more[1].type = "shock.FluxPort/2";
    assert_int_equal(mm_ledger_program(&two, y), 0);
    assert_string_not_equal(x, y);
    more[1].type = flux.type;
    b[0].name = "flux2";
    assert_int_equal(mm_ledger_program(&two, y), 0);
    assert_string_not_equal(x, y);
}

TESTS(set_up, tear_down)
