/* SPDX-License-Identifier: BSD-3-Clause */
/* damage.h: a file of an experiment is cut and flipped; all that the reader says is one
 * number. */
#ifndef TESTS_LIB_DAMAGE_H
#define TESTS_LIB_DAMAGE_H

#include "mastermind/reader/experiment.h"
#include "tests/lib/test.h"

/* Under the thread sanitizer a file takes twenty times as long to read: so many times
 * less. */
static inline int damage_part(void)
{
    return TEST_TSAN ? 20 : getenv("SOAK") ? 1 : 2;
}

static inline char *damage_load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *data;

    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    data = malloc(*size + 1);
    assert_non_null(data);
    assert_int_equal(fread(data, 1, *size, file), *size);
    fclose(file);
    return data;
}

static inline void damage_store(const char *path, const char *data, size_t size)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

/* Copy a file aside and back: its process still has the old one mapped. */
static inline void damage_detach(const char *path)
{
    size_t size;
    char *data = damage_load(path, &size);

    assert_int_equal(unlink(path), 0);
    damage_store(path, data, size);
    free(data);
}

/* --- A hash of everything that the reader says */

static inline void damage_mix(uint64_t *digest, const void *data, size_t bytes)
{
    const unsigned char *at = data;

    for (size_t i = 0; i < bytes; i++)
        *digest = (*digest ^ at[i]) * 0x100000001b3ULL;
}

#define DAMAGE_MIX(digest, value) damage_mix(digest, &(value), sizeof(value))

static inline void damage_mix_text(uint64_t *digest, const char *text)
{
    damage_mix(digest, text ? text : "(null)", text ? strlen(text) : 6);
}

static inline void damage_mix_method(uint64_t *digest,
                                     const struct mm_method_info *method)
{
    damage_mix_text(digest, method ? method->name : NULL);
    for (size_t i = 0; method && i < method->value_count; i++)
        damage_mix_text(digest, method->values[i].name);
}

static size_t damage_counters; /* of the experiment that is read */

static inline int damage_row(const struct mm_row *row, void *context)
{
    const int64_t words[] = {row->rank,
                             row->thread,
                             (int64_t)row->invocation,
                             (int64_t)row->caller,
                             row->caller_uncertain,
                             row->counted,
                             (int64_t)row->folded,
                             (int64_t)row->folded_below,
                             row->folded_ns,
                             row->status,
                             row->clock_back,
                             row->start_ns,
                             row->wall_ns,
                             row->exclusive_ns,
                             row->mpi_ns,
                             row->cpu_ns,
                             row->lost_ns,
                             row->lost_exclusive_ns,
                             row->waited,
                             row->waited_exclusive};

    damage_mix_method(context, row->method);
    DAMAGE_MIX(context, words);
    damage_mix(context, row->values, row->method->value_count * sizeof *row->values);
    damage_mix(context, row->counters, damage_counters * sizeof *row->counters);
    damage_mix(context, row->exclusive_counters, damage_counters * sizeof *row->counters);
    return 0;
}

static inline void damage_mix_sum(uint64_t *digest, const struct mm_sum *sum)
{
    DAMAGE_MIX(digest, sum->sum_ns);
    DAMAGE_MIX(digest, sum->min_ns);
    DAMAGE_MIX(digest, sum->max_ns);
    DAMAGE_MIX(digest, sum->m2_ns2);
}

static inline int damage_aggregate(const struct mm_aggregate *a, void *context)
{
    const int64_t words[] = {a->rank,
                             a->thread,
                             a->unfinished,
                             (int64_t)a->caller_values,
                             (int64_t)a->calls,
                             (int64_t)a->callees,
                             (int64_t)a->below,
                             a->has_cpu,
                             (int64_t)a->sample_count};

    damage_mix_method(context, a->method);
    for (const struct mm_context *at = a->context; at; at = at->parent) {
        damage_mix_method(context, at->method);
        damage_mix_method(context, at->caller);
        DAMAGE_MIX(context, at->caller_known);
        DAMAGE_MIX(context, at->nested);
    }
    DAMAGE_MIX(context, words);
    if (a->values)
        damage_mix(context, a->values, a->method->in_count * sizeof *a->values);
    damage_mix_sum(context, &a->wall);
    damage_mix_sum(context, &a->exclusive);
    damage_mix_sum(context, &a->mpi);
    if (a->has_cpu)
        damage_mix_sum(context, &a->cpu);
    damage_mix(context, a->sample, a->sample_count * sizeof *a->sample);
    damage_mix(context, a->counters, damage_counters * sizeof *a->counters);
    damage_mix(context, a->exclusive_counters, damage_counters * sizeof *a->counters);
    return 0;
}

static inline int damage_rows_of(const struct mm_experiment *e, uint64_t *digest,
                                 struct cca_error *err)
{
    struct mm_losses losses;
    int code = mm_experiment_rows(e, damage_row, digest, err);

    if (!code)
        code = mm_experiment_aggregates(e, damage_aggregate, digest, err);
    if (!code)
        code = mm_experiment_losses(e, &losses, err);
    if (!code) {
        DAMAGE_MIX(digest, losses.dropped);
        DAMAGE_MIX(digest, losses.nested);
        DAMAGE_MIX(digest, losses.limited);
    }
    return code;
}

/* Returns 0, or the code of the refusal, whose words name a file and what was found. */
static inline int damage_read(const char *path, uint64_t *digest)
{
    struct cca_error err = {0};
    struct mm_experiment *e = mm_experiment_open(path, &err);
    int code = err.code;

    *digest = 1469598103934665603ULL;
    if (e) {
        DAMAGE_MIX(digest, e->finished);
        DAMAGE_MIX(digest, e->costs.rows[MM_ROW_PAIR].loop_ns);
        damage_counters = e->counter_count;
        code = damage_rows_of(e, digest, &err);
        mm_experiment_free(e);
    }
    if (code) {
        assert_int_equal(code, err.code);
        if (code != -ENOENT && !strstr(err.text, ".json") &&
            (!strstr(err.text, "/thread-") || !strstr(err.text, "found")))
            fail_msg("no file, or no word of what was found: %s", err.text);
    }
    return code;
}

#endif
