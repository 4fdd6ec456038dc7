/* SPDX-License-Identifier: BSD-3-Clause */
/* openmetrics.c: write a run as metrics for Prometheus. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/export/formats.h"

/* Number of buckets of costs. Their upper bounds in ns are 1, 2, 5 and so on from 100 ns
 * to 1,000 s. */
enum { BUCKETS = 31 };

struct histogram {
    uint64_t bucket[BUCKETS + 1]; /* number of calls in each bucket; the last bucket has
                                     the calls above all bounds */
    uint64_t count;
    double sum_ns;
};

struct state {
    struct histogram *methods;
    size_t *first; /* [method_count] index of the first method with the same labels:
                      methods of different builds of a class have equal labels */
    double bound[BUCKETS];
};

static void set_bounds(struct state *state)
{
    static const double steps[] = {1, 2, 5};
    double decade = 100;

    for (int i = 0; i < BUCKETS; i++) {
        state->bound[i] = steps[i % 3] * decade;
        if (i % 3 == 2)
            decade *= 10;
    }
}

static int bucket_of(const struct state *state, double ns)
{
    int i = 0;

    while (i < BUCKETS && ns > state->bound[i])
        i++;
    return i;
}

static int take_row(const struct mm_row *row, const struct mm_joined *joined,
                    void *context)
{
    struct state *state = context;
    struct histogram *h = &state->methods[state->first[row->method->index]];

    h->bucket[bucket_of(state, (double)joined->exclusive_ns)]++;
    h->count++;
    h->sum_ns += (double)joined->exclusive_ns;
    return 0;
}

/* Distribute the calls of an aggregate over the buckets of costs in the same proportions
 * as the aggregate's sample. */
static int take_aggregate(const struct mm_aggregate *aggregate,
                          const struct mm_joined *joined, void *context)
{
    struct state *state = context;
    struct histogram *h = &state->methods[state->first[aggregate->method->index]];
    uint64_t told = 0;

    for (size_t i = 0; i < aggregate->sample_count; i++) {
        uint64_t upto = aggregate->calls * (i + 1) / aggregate->sample_count;

        h->bucket[bucket_of(state, aggregate->sample[i])] += upto - told;
        told = upto;
    }
    if (told < aggregate->calls)
        h->bucket[bucket_of(state,
                            (double)joined->exclusive_ns / (double)aggregate->calls)] +=
            aggregate->calls - told;
    h->count += aggregate->calls;
    h->sum_ns += (double)joined->exclusive_ns;
    return 0;
}

static int same_labels(const struct mm_method_info *a, const struct mm_method_info *b)
{
    return strcmp(a->instance, b->instance) == 0 && strcmp(a->port, b->port) == 0 &&
           strcmp(a->method, b->method) == 0 && strcmp(a->class_name, b->class_name) == 0;
}

static void set_first(struct state *state, const struct mm_row_source *source)
{
    for (size_t i = 0; i < source->method_count; i++) {
        size_t first = 0;

        while (first < i && !same_labels(source->methods[first], source->methods[i]))
            first++;
        state->first[i] = first;
    }
}

static void print_label(FILE *file, const char *text)
{
    int is_utf8 = mm_export_is_utf8(text);

    for (const char *c = text; *c; c++) {
        if (*c == '\\' || *c == '"')
            fputc('\\', file);
        if (*c == '\n')
            fputs("\\n", file);
        else
            fputc((unsigned char)*c < 0x20 || (!is_utf8 && (unsigned char)*c >= 0x80)
                      ? '?'
                      : *c,
                  file);
    }
}

static void print_labels(FILE *file, const struct mm_method_info *method)
{
    fputs("{instance=\"", file);
    print_label(file, method->instance);
    fputs("\",port=\"", file);
    print_label(file, method->port);
    fputs("\",method=\"", file);
    print_label(file, method->method);
    fputs("\",class=\"", file);
    print_label(file, method->class_name);
    fputc('"', file);
}

static void print_histogram(FILE *file, const struct state *state,
                            const struct mm_method_info *method)
{
    const struct histogram *h = &state->methods[method->index];
    uint64_t upto = 0;

    for (int i = 0; i <= BUCKETS; i++) {
        upto += h->bucket[i];
        fputs("mastermind_method_seconds_bucket", file);
        print_labels(file, method);
        if (i < BUCKETS)
            fprintf(file, ",le=\"%.10g\"} %" PRIu64 "\n", state->bound[i] * 1e-9, upto);
        else
            fprintf(file, ",le=\"+Inf\"} %" PRIu64 "\n", upto);
    }
    fputs("mastermind_method_seconds_count", file);
    print_labels(file, method);
    fprintf(file, "} %" PRIu64 "\n", h->count);
    fputs("mastermind_method_seconds_sum", file);
    print_labels(file, method);
    fprintf(file, "} %.9f\n", h->sum_ns > 0 ? h->sum_ns * 1e-9 : 0);
}

static void print_mpi(FILE *file, const struct mm_mpi_profile *mpi)
{
    if (!mpi->count)
        return;
    fputs("# TYPE mastermind_mpi_seconds counter\n# UNIT mastermind_mpi_seconds seconds\n"
          "# HELP mastermind_mpi_seconds Time inside functions of MPI, over all ranks.\n",
          file);
    for (size_t i = 0; i < mpi->count; i++) {
        fputs("mastermind_mpi_seconds_total{function=\"", file);
        print_label(file, mpi->functions[i].name);
        fprintf(file, "\"} %.9f\n", (double)mpi->functions[i].ns * 1e-9);
    }
    fputs("# TYPE mastermind_mpi_calls counter\n"
          "# HELP mastermind_mpi_calls Calls of functions of MPI, over all ranks.\n",
          file);
    for (size_t i = 0; i < mpi->count; i++) {
        fputs("mastermind_mpi_calls_total{function=\"", file);
        print_label(file, mpi->functions[i].name);
        fprintf(file, "\"} %" PRIu64 "\n", mpi->functions[i].calls);
    }
}

int mm_export_openmetrics(FILE *file, const struct mm_export *run,
                          const struct mm_mpi_profile *mpi, struct cca_error *err)
{
    struct mm_row_source source = mm_row_source_of(run->experiment);
    struct state state = {.methods =
                              calloc(source.method_count + 1, sizeof *state.methods),
                          .first = calloc(source.method_count + 1, sizeof *state.first)};
    struct mm_losses losses;
    struct mm_dual *dual;
    int status;

    if (!state.methods || !state.first) {
        free(state.methods);
        free(state.first);
        return cca_no_memory(err);
    }
    set_bounds(&state);
    set_first(&state, &source);
    dual = mm_dual_new(&source, take_row, take_aggregate, &state, err);
    status = dual ? mm_experiment_losses(run->experiment, &losses, err) : err->code;
    if (!status) {
        fputs("# TYPE mastermind_method_seconds histogram\n# UNIT "
              "mastermind_method_seconds seconds\n# HELP mastermind_method_seconds Own "
              "time of a call without its callees.\n",
              file);
        for (size_t i = 0; i < source.method_count; i++)
            if (state.methods[i].count)
                print_histogram(file, &state, source.methods[i]);
        print_mpi(file, mpi);
        fprintf(file,
                "# TYPE mastermind_calls_dropped counter\n"
                "# HELP mastermind_calls_dropped Calls of which nothing was kept.\n"
                "mastermind_calls_dropped_total %" PRIu64 "\n"
                "# TYPE mastermind_run info\n"
                "# HELP mastermind_run The experiment.\n"
                "mastermind_run_info{experiment=\"",
                losses.dropped + losses.nested);
        print_label(file, run->experiment->name);
        fprintf(file, "\",ranks=\"%d\"} 1\n# EOF\n", run->experiment->ranks);
    }
    mm_dual_free(dual);
    free(state.methods);
    free(state.first);
    return status;
}
