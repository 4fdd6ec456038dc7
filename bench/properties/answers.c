/* SPDX-License-Identifier: BSD-3-Clause */
/* answers.c: properties over a store, as they are evaluated: every answer with all its
 * digits, or the CPU time of each property.
 *
 *   answers STORE [--times N] [--basis REGION] FILE.property...
 *
 * The experiment with the least number of one unit is the sequential run, all others are
 * asked. Prints a line of `property experiment region unit holds severity confidence
 * detail`, with tabs between, for each answer (holds -1: not evaluated, and the reason in
 * place of the detail); with --times `property seconds answers` of the fastest of N. */
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "properties/evaluate/evaluate.h"
#include "properties/store/store.h"

struct asking {
    struct mm_store *store;
    struct mm_property **library;
    size_t count;
    struct mm_property_question question;
    int times;
};

static int fail(const struct cca_error *err)
{
    fprintf(stderr, "answers: %s\n", err->text);
    return 1;
}

static double cpu_seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* 0, or 1 where the store does not answer. */
static int find_runs(struct asking *a)
{
    sqlite3_stmt *s = NULL;
    int64_t *ids = NULL;

    if (sqlite3_prepare_v2(a->store->db, "SELECT id, units FROM experiment ORDER BY id",
                           -1, &s, NULL) != SQLITE_OK)
        return 1;
    while (sqlite3_step(s) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(s, 0);

        if (!a->question.sequential && sqlite3_column_int64(s, 1) == 1) {
            a->question.sequential = id;
            continue;
        }
        ids = realloc(ids, (a->question.experiment_count + 1) * sizeof *ids);
        if (!ids)
            break;
        ids[a->question.experiment_count++] = id;
    }
    sqlite3_finalize(s);
    a->question.experiments = ids;
    return !ids;
}

static void print_answers(const struct mm_property *p,
                          const struct mm_property_answers *answers)
{
    for (size_t i = 0; i < answers->count; i++) {
        const struct mm_property_answer *a = &answers->all[i];
        const char *words = a->holds < 0 ? a->reason : a->detail;

        printf("%s\t%lld\t%lld\t%lld\t%d\t%.17g\t%.17g\t%s\n", p->name.text,
               (long long)a->experiment, (long long)a->region, (long long)a->unit,
               a->holds, a->severity, a->confidence, words ? words : "");
    }
}

static int ask(const struct asking *a, const struct mm_property *p)
{
    double least = INFINITY;
    size_t count = 0;

    for (int i = 0; i < (a->times ? a->times : 1); i++) {
        struct mm_property_answers answers;
        struct cca_error err = {0};
        double begin = cpu_seconds(), took;
        int result = mm_property_evaluate(&answers, a->store, p, &a->question, &err);

        took = cpu_seconds() - begin;
        least = took < least ? took : least;
        count = answers.count;
        if (!result && !a->times)
            print_answers(p, &answers);
        mm_property_answers_done(&answers);
        if (result)
            return fail(&err);
    }
    if (a->times)
        printf("%s\t%.4f\t%zu\n", p->name.text, least, count);
    return 0;
}

/* The region of a name, 0: none. */
static int64_t region_of(struct asking *a, const char *name)
{
    sqlite3_stmt *s = NULL;
    int64_t id = 0;

    if (sqlite3_prepare_v2(a->store->db,
                           "SELECT id FROM region WHERE name = ?1 ORDER BY id LIMIT 1",
                           -1, &s, NULL) == SQLITE_OK) {
        sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
        if (sqlite3_step(s) == SQLITE_ROW)
            id = sqlite3_column_int64(s, 0);
    }
    sqlite3_finalize(s);
    return id;
}

/* 0, or 1 after a message. */
static int open_store(struct asking *a, const char *path, const char *basis)
{
    struct cca_error err = {0};

    if (mm_store_open(&a->store, path, &err))
        return fail(&err);
    if (basis && !(a->question.basis = region_of(a, basis))) {
        fprintf(stderr, "answers: found no region '%s'\n", basis);
        return 1;
    }
    return find_runs(a);
}

static int read_library(struct asking *a, char **paths, int count)
{
    struct cca_error err = {0};

    a->library = calloc((size_t)count, sizeof *a->library);
    if (!a->library)
        return 1;
    a->question.library = (const struct mm_property *const *)a->library;
    for (; a->count < (size_t)count; a->count++)
        if (mm_property_read(&a->library[a->count], paths[a->count], &err))
            return fail(&err);
    a->question.library_count = a->count;
    return 0;
}

int main(int argc, char **argv)
{
    struct asking a = {.question.seconds = 600};
    const char *basis = NULL;
    int at = 2, result;

    for (; at + 1 < argc && argv[at][0] == '-'; at += 2)
        if (strcmp(argv[at], "--times") == 0)
            a.times = atoi(argv[at + 1]);
        else if (strcmp(argv[at], "--basis") == 0)
            basis = argv[at + 1];
    if (argc <= at) {
        fputs("answers STORE [--times N] [--basis REGION] FILE.property...\n", stderr);
        return 2;
    }
    result = read_library(&a, argv + at, argc - at);
    if (!result)
        result = open_store(&a, argv[1], basis);
    for (size_t i = 0; i < a.count && !result; i++)
        result = ask(&a, a.library[i]);
    for (size_t i = 0; i < a.count; i++)
        mm_property_free(a.library[i]);
    free(a.library);
    free((void *)a.question.experiments);
    mm_store_free(a.store);
    return result;
}
