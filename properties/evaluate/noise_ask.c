/* SPDX-License-Identifier: BSD-3-Clause */
/* noise_ask.c: evaluate a property on replicates and assign the answers. */
#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "properties/evaluate/noise.h"
#include "properties/evaluate/parts.h"
#include "properties/store/store.h"

/* --- Keys of answers
 * ------------------------------------------------------------------ */

struct key {
    const struct mm_property_answer *answer;
    size_t at;      /* index of the answer with this key */
    size_t ordinal; /* number among answers of the same key, such as messages of several
                     * sizes */
};

static int order_of(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int order_of_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int order_of_answers(const struct mm_property_answer *x,
                            const struct mm_property_answer *y)
{
    int order = order_of(x->experiment, y->experiment);

    order = order ? order : order_of(x->region, y->region);
    order = order ? order : order_of(x->unit, y->unit);
    return order ? order : order_of_texts(x->detail, y->detail);
}

static int by_place(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int order = order_of_answers(x->answer, y->answer);

    return order ? order : order_of((int64_t)x->at, (int64_t)y->at);
}

static int by_key(const void *a, const void *b)
{
    const struct key *x = a, *y = b;
    int order = order_of_answers(x->answer, y->answer);

    return order ? order : order_of((int64_t)x->ordinal, (int64_t)y->ordinal);
}

/* Keys of the answers, sorted by by_key. NULL: no memory. */
static struct key *sorted_keys(const struct mm_property_answers *answers)
{
    struct key *keys = calloc(answers->count + 1, sizeof *keys);

    for (size_t i = 0; keys && i < answers->count; i++)
        keys[i] = (struct key){&answers->all[i], i, 0};
    if (keys && answers->count)
        qsort(keys, answers->count, sizeof *keys, by_place);
    for (size_t i = 1; keys && i < answers->count; i++)
        if (!order_of_answers(keys[i - 1].answer, keys[i].answer))
            keys[i].ordinal = keys[i - 1].ordinal + 1;
    return keys;
}

struct asking {
    struct mm_answer_noise *all;
    struct mm_noise *noise;
    const struct mm_property *property;
    const struct mm_property_question *question;
    const struct mm_property_answers *answers;
    struct key *keys;
    char *needed; /* by experiment of the question: 1: its replicates are needed */
    struct cca_error *err;
};

static const struct mm_noise_region *find_region(const struct mm_noise_run *run,
                                                 int64_t id)
{
    for (size_t i = 0; run && i < run->region_count; i++)
        if (run->regions[i].region->id == id)
            return &run->regions[i];
    return NULL;
}

/* Set the blocks of an answer to the blocks of its region; of an answer about a set of
 * runs, to the fewest blocks among the runs. */
static void set_blocks(struct asking *a, struct mm_answer_noise *n,
                       const struct mm_property_answer *answer)
{
    for (size_t i = 0; i < a->noise->run_count; i++) {
        const struct mm_noise_run *run = &a->noise->runs[i];
        const struct mm_noise_region *r;

        if (answer->experiment && answer->experiment != run->run->id)
            continue;
        n->units = run->unit_count > n->units ? run->unit_count : n->units;
        r = find_region(run, answer->region);
        if (r && r->asked && r->blocks.count &&
            (!n->blocks.count || r->blocks.count < n->blocks.count)) {
            n->blocks = r->blocks;
            n->stream = run->stream;
        }
    }
}

static int prepare_all(struct asking *a)
{
    size_t rows = 0, used = 0;

    for (size_t i = 0; i < a->answers->count; i++) {
        struct mm_answer_noise *n = &a->all[i];

        *n = (struct mm_answer_noise){.low = NAN, .high = NAN, .pooled = NAN, .same = i};
        set_blocks(a, n, &a->answers->all[i]);
        rows += n->blocks.count > 0;
    }
    free(a->noise->rows);
    a->noise->rows = malloc((rows + 1) * MM_REPLICATES * sizeof(double));
    if (!a->noise->rows)
        return cca_no_memory(a->err);
    for (size_t i = 0; i < a->answers->count; i++) {
        double *row = a->noise->rows + used * MM_REPLICATES;

        if (!a->all[i].blocks.count)
            continue;
        used++;
        a->all[i].replicates = row;
        row[0] = a->answers->all[i].severity;
        for (size_t k = 1; k < MM_REPLICATES; k++)
            row[k] = NAN;
    }
    return 0;
}

/* --- Repeats ------------------------------------------------------------ */

struct repeat {
    size_t configuration, at, ordinal;
    const char *kind, *region, *detail;
    int rank, thread;
};

static int by_repeat(const void *a, const void *b)
{
    const struct repeat *x = a, *y = b;
    int order = order_of((int64_t)x->configuration, (int64_t)y->configuration);

    order = order ? order : order_of_texts(x->region, y->region);
    order = order ? order : order_of_texts(x->kind, y->kind);
    order = order ? order : order_of(x->rank, y->rank);
    order = order ? order : order_of(x->thread, y->thread);
    order = order ? order : order_of((int64_t)x->ordinal, (int64_t)y->ordinal);
    return order ? order : order_of_texts(x->detail, y->detail);
}

static int by_repeat_and_place(const void *a, const void *b)
{
    int order = by_repeat(a, b);

    return order ? order
                 : order_of((int64_t)((const struct repeat *)a)->at,
                            (int64_t)((const struct repeat *)b)->at);
}

/* Match answers to one question from runs of one configuration. */
static int match_repeats(struct asking *a)
{
    struct repeat *all = calloc(a->answers->count + 1, sizeof *all);
    size_t n = 0;

    if (!all)
        return cca_no_memory(a->err);
    for (size_t i = 0; i < a->answers->count && mm_noise_has_repeats(a->noise); i++) {
        const struct mm_property_answer *x = a->keys[i].answer;
        const struct mm_world_run *run = mm_world_run(&a->noise->world, x->experiment);
        const struct mm_world_region *r = mm_world_region(&a->noise->world, x->region);
        const struct mm_world_unit *u = mm_world_unit(&a->noise->world, x->unit);

        if (run)
            all[n++] = (struct repeat){.configuration = run->same,
                                       .at = a->keys[i].at,
                                       .ordinal = a->keys[i].ordinal,
                                       .kind = r ? r->kind : NULL,
                                       .region = r ? r->name : NULL,
                                       .detail = x->detail,
                                       .rank = u ? u->rank : -1,
                                       .thread = u ? u->thread : -1};
    }
    if (n)
        qsort(all, n, sizeof *all, by_repeat_and_place);
    for (size_t i = 1; i < n; i++)
        if (!by_repeat(&all[i - 1], &all[i]))
            a->all[all[i].at].same = a->all[all[i - 1].at].same;
    free(all);
    return 0;
}

/* --- Asking ------------------------------------------------------------- */

static void put_answer(struct asking *a, const struct key *key, int64_t k)
{
    const struct mm_property_answer *x = key->answer;
    struct mm_property_answer original = *x;
    struct key wanted = {&original, 0, key->ordinal}, *found;
    struct mm_answer_noise *n;

    original.experiment /= MM_NOISE_KINDS;
    original.unit /= MM_NOISE_KINDS;
    found = bsearch(&wanted, a->keys, a->answers->count, sizeof *found, by_key);
    if (!found || x->holds < 0)
        return;
    n = &a->all[found->at];
    if (k == MM_NOISE_LOW)
        n->low = x->severity;
    else if (k == MM_NOISE_HIGH)
        n->high = x->severity;
    else if (k == MM_NOISE_POOLED)
        n->pooled = x->severity;
    else if (n->replicates)
        a->noise->rows[(size_t)(n->replicates - a->noise->rows) + (size_t)k] =
            x->severity;
}

static int put_all(struct asking *a, const struct mm_property_answers *answers, int64_t k)
{
    struct key *keys = sorted_keys(answers);

    if (!keys)
        return cca_no_memory(a->err);
    for (size_t i = 0; i < answers->count; i++) {
        int64_t e = keys[i].answer->experiment;

        put_answer(a, &keys[i], e ? e % MM_NOISE_KINDS : k);
    }
    free(keys);
    return 0;
}

/* Evaluate `count` experiments of the replicates' store at once. Answers about sets of
 * runs are stored as replicate `k`. */
static int ask(struct asking *a, const int64_t *experiments, size_t count,
               int64_t sequential, int64_t k)
{
    struct mm_property_question q = *a->question;
    struct mm_property_answers answers = {0};
    int result;

    q.experiments = experiments;
    q.experiment_count = count;
    q.sequential = sequential;
    result = mm_property_evaluate(&answers, a->noise->store, a->property, &q, a->err);
    if (!result)
        result = put_all(a, &answers, k);
    mm_property_answers_done(&answers);
    return result;
}

/* Evaluate all runs in each of the replicates `first` to `last`, at once. A sequential
 * run that is not among the parallel runs of the question (it is the last of noise->runs)
 * takes part as replicate `first`. */
static int ask_kinds(struct asking *a, int64_t first, int64_t last)
{
    const struct mm_noise *noise = a->noise;
    size_t runs = a->question->experiment_count, count = 0;
    int64_t sequential = a->question->sequential * MM_NOISE_KINDS + first;
    int64_t *list = calloc(runs * (size_t)(last - first + 1) + 1, sizeof *list);
    int result;

    if (!list)
        return cca_no_memory(a->err);
    for (size_t i = 0; i < runs; i++)
        for (int64_t k = first; k <= last; k++)
            /* the mean run of a configuration is stored under the id of the
             * configuration's first run */
            if (k >= MM_REPLICATES ? k != MM_NOISE_POOLED || mm_noise_first(noise, i) == i
                                   : a->needed[i])
                list[count++] = noise->runs[i].run->id * MM_NOISE_KINDS + k;
    result = ask(a, list, count, a->question->sequential ? sequential : 0, first);
    free(list);
    return result;
}

/* Mark the runs whose answers need replicates: each run that was not repeated; of
 * repeated runs the first one, if the property compares it with a sequential run; all
 * runs, if an answer is about a set of runs. Returns 1 if any is marked, else 0. */
static int find_needed(struct asking *a, char *has_repeat)
{
    int some = 0, all = 0;

    for (size_t i = 0; i < a->answers->count; i++)
        if (a->all[i].same != i)
            has_repeat[i] = has_repeat[a->all[i].same] = 1;
    for (size_t i = 0; i < a->answers->count; i++) {
        int64_t id = a->answers->all[i].experiment;

        if (!a->all[i].blocks.count || a->all[i].same != i ||
            (has_repeat[i] && a->property->object != MM_FOR_EXPERIMENTS))
            continue;
        some = 1;
        all |= !id;
        for (size_t r = 0; r < a->question->experiment_count; r++)
            a->needed[r] |= a->question->experiments[r] == id;
    }
    if (all)
        memset(a->needed, 1, a->question->experiment_count);
    return some;
}

static int ask_replicates(struct asking *a)
{
    char *has_repeat = calloc(a->answers->count + 1, 1);
    int result = 0, some;

    a->needed = calloc(a->question->experiment_count + 1, 1);
    some = has_repeat && a->needed && find_needed(a, has_repeat);
    if (!has_repeat || !a->needed)
        result = cca_no_memory(a->err);
    else if (some && (a->property->object == MM_FOR_SUMMARY ||
                      a->property->object == MM_FOR_REGION))
        result = ask_kinds(a, 1, MM_REPLICATES - 1);
    else
        for (int64_t k = 1; k < MM_REPLICATES && some && !result; k++)
            result = ask_kinds(a, k, k);
    free(has_repeat);
    free(a->needed);
    a->needed = NULL;
    return result;
}

static int ask_pooled(struct asking *a)
{
    int some = 0;

    for (size_t i = 0; i < a->answers->count; i++)
        some |= a->all[i].same != i;
    return some ? ask_kinds(a, MM_NOISE_POOLED, MM_NOISE_POOLED) : 0;
}

/* Set half of the cost of measuring, relative to the time of which the severity is a
 * share: the region itself if that is summed over all units, else the basis. */
static void set_cost(struct asking *a, size_t i, sqlite3_stmt *s)
{
    const struct mm_property_answer *x = &a->answers->all[i];
    const struct mm_world_run *run = mm_world_run(&a->noise->world, x->experiment);
    int64_t basis = a->question->basis ? a->question->basis : run ? run->root : 0;

    if (!run || !x->region)
        return;
    sqlite3_bind_int64(s, 1, x->experiment);
    sqlite3_bind_int64(s, 2, x->region);
    sqlite3_bind_int64(s, 3, a->property->object == MM_FOR_REGION ? x->region : basis);
    if (sqlite3_step(s) == SQLITE_ROW)
        a->all[i].cost = sqlite3_column_double(s, 0);
    sqlite3_reset(s);
}

static int set_costs(struct asking *a)
{
    static const char sql[] =
        "SELECT max(s.recording) / 2 / (SELECT max(b.exec_time) FROM summary AS b WHERE "
        "b.experiment = ?1 AND b.region = ?3) FROM summary AS s WHERE s.experiment = ?1 "
        "AND s.region = ?2";
    sqlite3_stmt *s = NULL;

    if (a->property->object != MM_FOR_SUMMARY && a->property->object != MM_FOR_REGION &&
        a->property->object != MM_FOR_EXPERIMENTS)
        return 0;
    if (sqlite3_prepare_v2(a->noise->from->db, sql, -1, &s, NULL) != SQLITE_OK)
        return cca_error_set(a->err, -EIO, "store: %s",
                             sqlite3_errmsg(a->noise->from->db));
    for (size_t i = 0; i < a->answers->count; i++)
        if (a->answers->all[i].severity > 0 &&
            (a->all[i].blocks.count || a->all[i].same != i))
            set_cost(a, i, s);
    sqlite3_finalize(s);
    return 0;
}

int mm_noise_ask(struct mm_answer_noise *all, struct mm_noise *noise,
                 const struct mm_property *property,
                 const struct mm_property_question *question,
                 const struct mm_property_answers *answers, struct cca_error *err)
{
    struct asking a = {.all = all,
                       .noise = noise,
                       .property = property,
                       .question = question,
                       .answers = answers,
                       .keys = sorted_keys(answers),
                       .err = err};
    int sampled =
        property->object == MM_FOR_MESSAGES || property->object == MM_FOR_COLLECTIVES;
    int result = a.keys ? prepare_all(&a) : cca_no_memory(err);

    if (!result)
        result = match_repeats(&a);
    if (!result && !sampled)
        result = ask_replicates(&a);
    if (!result)
        result = ask_pooled(&a);
    if (!result && sampled && noise->ends)
        result = ask_kinds(&a, MM_NOISE_LOW, MM_NOISE_HIGH);
    if (!result)
        result = set_costs(&a);
    free(a.keys);
    return result;
}
