/* SPDX-License-Identifier: BSD-3-Clause */
/* Property files that nobody checked: read or refused, never a crash, nothing written,
 * and none beyond its time. The files of the library, changed at random: bytes, words,
 * lines, and words that would break out of an expression. */
#include "tests/lib/test.h"

#include <glob.h>
#include <time.h>

#include <sqlite3.h>

#include "properties/evaluate/evaluate.h"
#include "properties/store/store.h"

enum { MOST_TEXT = 4096, MOST_FILES = 100 };

static char *files[MOST_FILES];
static size_t file_count;
static uint64_t state = 88172645463325252u;

static uint64_t draw(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

static const char *const words[] = {"/*",
                                    "--",
                                    "';",
                                    ") FROM rs /*",
                                    "\"",
                                    "exec_time",
                                    "basis.exec_time",
                                    "(",
                                    ")",
                                    "((((((((",
                                    "SELECT",
                                    "(SELECT 1)",
                                    "ATTACH",
                                    "load_extension('x')",
                                    "9e999",
                                    "-9e999",
                                    "1/0",
                                    "0x10",
                                    "randomblob(1000000000)",
                                    "zeroblob(1e9)",
                                    "printf('%1000000000d', 1)",
                                    "max(",
                                    "avg(sd(",
                                    "'",
                                    "''",
                                    ":level",
                                    ":",
                                    "?",
                                    "@a",
                                    "$a",
                                    "`x`",
                                    "[x]",
                                    ";",
                                    "||",
                                    "|",
                                    "~",
                                    "<<",
                                    "count(*)",
                                    "sqlite_master",
                                    "temp.asked",
                                    "readfile('/etc/passwd')",
                                    "quantile(exec_time, 7)",
                                    "case when",
                                    "end",
                                    "in (1,2",
                                    "between",
                                    "null",
                                    "region.name",
                                    "cache.level",
                                    "seq.units",
                                    "par.exec_time",
                                    "glob '*'",
                                    "like '%%%%%%%%%%%%%%%%%%%%'",
                                    "for: region",
                                    "for: properties",
                                    "of: Inefficiency",
                                    "params: level=1e308",
                                    "\xff\xfe",
                                    "\t",
                                    "é",
                                    ",",
                                    "iif(1,2",
                                    "coalesce(",
                                    "exp(exp(exp(exp(100))))",
                                    "pow(10, 400)",
                                    "sqrt(-1)",
                                    "ln(0)",
                                    "name: x",
                                    "by: set"};
#define WORDS (sizeof words / sizeof *words)

static void add(char *text, size_t at, const char *word)
{
    size_t length = strlen(text), n = strlen(word);

    if (length + n + 1 >= MOST_TEXT || at > length)
        return;
    memmove(text + at + n, text + at, length - at + 1);
    memcpy(text + at, word, n);
}

static void cut(char *text, size_t at, size_t n)
{
    size_t length = strlen(text);

    if (at < length)
        memmove(text + at, text + (at + n < length ? at + n : length),
                length - (at + n < length ? at + n : length) + 1);
}

/* A file of the library after some changes. */
static void make(char *text)
{
    uint64_t changes = 1 + draw(4);

    snprintf(text, MOST_TEXT, "%s", files[draw(file_count)]);
    for (uint64_t i = 0; i < changes; i++) {
        size_t length = strlen(text), at = draw(length + 1);
        const char *behind = strstr(text, "severity: ");

        if (behind && draw(2)) /* where it matters most */
            at = (size_t)(behind - text) + 10 + draw(strlen(behind + 10) + 1);
        switch (draw(5)) {
        case 0:
            if (at < length)
                text[at] = (char)(1 + draw(255));
            break;
        case 1:
            cut(text, at, 1 + draw(12));
            break;
        case 2: {
            char copy[64];

            snprintf(copy, 1 + draw(60), "%s", files[draw(file_count)] + draw(20));
            add(text, at, copy);
            break;
        }
        default:
            add(text, at, words[draw(WORDS)]);
        }
    }
}

static struct mm_store *new_store(void)
{
    static const char rows[] =
        "INSERT INTO application VALUES (1, 'a'); INSERT INTO version VALUES (1, 1, 'b');"
        "INSERT INTO machine VALUES (1, 'm'); INSERT INTO node VALUES (1, 1, 'h', 'c', "
        "2);"
        "INSERT INTO region (id, version, kind, name) VALUES (1, 1, 'program', "
        "'<program>'), "
        "(2, 1, 'method', 'x.y.z');"
        "INSERT INTO experiment (id, version, machine, path, name, problem, "
        "configuration, ranks, "
        "threads, units, state, root) VALUES (1, 1, 1, 'p', 'p', '', '', 2, 1, 2, "
        "'finished', 1), "
        "(2, 1, 1, 's', 's', '', '', 1, 1, 1, 'finished', 1);"
        "INSERT INTO unit (id, experiment, rank, thread, node) VALUES (1, 1, 0, 0, 1), "
        "(2, 1, 1, "
        "0, 1), (3, 2, 0, 0, 1);"
        "INSERT INTO summary (experiment, region, unit, calls, exec_time, recv_time) "
        "VALUES (1, 1, "
        "1, 1, 10, 1), (1, 1, 2, 1, 8, 1), (1, 2, 1, 5, 4, 2), (1, 2, 2, 5, 2, .5), (2, "
        "1, 3, 1, "
        "12, 0), (2, 2, 3, 5, 5, 0);";
    struct mm_store *store;
    struct cca_error err = {0};

    if (mm_store_new(&store, NULL, &err))
        fail_msg("%s", err.text);
    assert_int_equal(sqlite3_exec(store->db, rows, NULL, NULL, NULL), SQLITE_OK);
    return store;
}

/* Rows of the store's own tables that statements have written so far. */
static int64_t sum_of(struct mm_store *store)
{
    sqlite3_stmt *s;
    int64_t sum = -1;

    assert_int_equal(
        sqlite3_prepare_v2(
            store->db,
            "SELECT (SELECT count(*) FROM main.sqlite_schema) * 1000 + (SELECT "
            "count(*) FROM summary) + (SELECT sum(exec_time) FROM summary) + "
            "(SELECT count(*) FROM property_result) + (SELECT sum(id) FROM region)",
            -1, &s, NULL),
        SQLITE_OK);
    if (sqlite3_step(s) == SQLITE_ROW)
        sum = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return sum;
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct counts {
    int refused, wrong, answered, late;
};

/* One text: read, checked, evaluated. */
static void attempt(struct mm_store *store, const char *text, struct counts *counts)
{
    static const int64_t parallel = 1;
    const struct mm_property_question question = {
        .experiments = &parallel, .experiment_count = 1, .sequential = 2, .seconds = .5};
    struct mm_property *property;
    struct mm_property_answers answers;
    struct cca_error err = {0};
    double began = now();
    int result = mm_property_parse(&property, "h.property", text, strlen(text), &err);

    if (result) {
        assert_int_equal(result, -EBADMSG);
        assert_int_equal(strncmp(err.text, "h.property:", 11), 0);
        assert_null(strchr(err.text, '\n'));
        counts->refused++;
        return;
    }
    result = mm_property_lint(store, property, NULL, 0, &err);
    assert_true(result == 0 || result == -EBADMSG);
    err = (struct cca_error){0};
    result = mm_property_evaluate(&answers, store, property, &question, &err);
    if (result) {
        if (result != -EBADMSG && result != -ETIME)
            fail_msg("%d %s:\n%s", result, err.text, text);
        assert_null(strchr(err.text, '\n'));
        counts->wrong++;
        counts->late += result == -ETIME;
    } else {
        counts->answered++;
    }
    mm_property_answers_done(&answers);
    mm_property_free(property);
    /* Its limit, and what a statement takes to notice. */
    if (now() - began > 2)
        fail_msg("%g s:\n%s", now() - began, text);
}

static void read_library(void)
{
    glob_t found;

    assert_int_equal(glob("properties/library/*.property", 0, NULL, &found), 0);
    for (; file_count < found.gl_pathc && file_count < MOST_FILES; file_count++) {
        int fd = open(found.gl_pathv[file_count], O_RDONLY);
        char *text = calloc(1, MOST_TEXT);

        assert_true(fd >= 0 && text && read(fd, text, MOST_TEXT / 2) > 0);
        close(fd);
        files[file_count] = text;
    }
    globfree(&found);
    assert_true(file_count > 20);
}

TEST(changed_files_are_read_or_refused_and_write_nothing)
{
    struct mm_store *store = new_store();
    int runs = test_count("RUNS", 1600, 1000000);
    int64_t before = sum_of(store);
    struct counts counts = {0};
    char text[MOST_TEXT];

    read_library();
    for (int i = 0; i < runs; i++) {
        make(text);
        attempt(store, text, &counts);
    }
    print_message("%d files: %d refused, %d wrong, %d late, %d answered\n", runs,
                  counts.refused, counts.wrong, counts.late, counts.answered);
    assert_int_equal(sum_of(store), before);
    /* The battery is worth something: much of it gets as far as SQLite. */
    assert_true(counts.answered > runs / 20 && counts.wrong > runs / 20);
    for (size_t i = 0; i < file_count; i++)
        free(files[i]);
    mm_store_free(store);
}

TESTS(NULL, NULL)
