/* SPDX-License-Identifier: BSD-3-Clause */
/* runs.c: facts about whole runs from their experiments: start, name of the program, CPU
 * time, memory. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/diff/diff_verb.h"

/* CPU time of a run's recorded calls; NAN: unknown. */
static double recorded_cpu_ns(const struct mm_input *input, size_t run)
{
    const struct mm_dual *dual = input->profiles[run]->dual;
    int has_own_time = strcmp(input->metric.name, "TIME") == 0;
    double sum = 0;

    if (strcmp(input->metric.name, "CPU_TIME") != 0 &&
        !(has_own_time && input->experiments[run]->has_losses))
        return NAN;
    for (size_t i = 0; i < dual->thread_vertex; i++)
        sum += (double)(dual->vertices[i].exclusive_ns -
                        (has_own_time ? dual->vertices[i].off.wait_ns : 0));
    return sum;
}

/* Read the costs of a whole run, NAN: unknown. 0 or a negative errno with `err`. */
static int read_whole(const struct mm_input *input, size_t run, int rank,
                      double whole[MM_DIFF_WHOLES], struct cca_error *err)
{
    const struct mm_experiment *experiment = input->experiments[run];
    struct mm_mpi_profile mpi = {0};
    struct mm_shares shares = {0};
    int result = mm_mpi_profile_read(&mpi, experiment, rank, err);

    for (int i = 0; i < MM_DIFF_WHOLES; i++)
        whole[i] = NAN;
    if (!result)
        result = mm_shares_read(&shares, experiment, input->profiles[run]->dual, &mpi,
                                rank, err);
    if (!result && shares.cpu_ns > 0) {
        double least = shares.elapsed_ns ? 0 : (double)shares.cpu_ns;

        whole[MM_DIFF_CPU] = fmax((double)(shares.cpu_ns - shares.measuring_ns) -
                                      experiment->cost.helper_ns,
                                  least);
        if (shares.elapsed_ns)
            whole[MM_DIFF_REST] = whole[MM_DIFF_CPU] - recorded_cpu_ns(input, run);
    }
    if (!result && shares.peak_bytes > 0)
        whole[MM_DIFF_MEMORY] = (double)shares.peak_bytes;
    mm_shares_done(&shares);
    mm_mpi_profile_done(&mpi);
    return result;
}

/* The name of the file of a run's program, borrowed; NULL: unknown. */
static const char *program_of(const struct mm_experiment *experiment)
{
    const char *word = experiment->command_count ? experiment->command[0] : NULL;
    const char *slash = word ? strrchr(word, '/') : NULL;

    return slash ? slash + 1 : word;
}

int mm_diff_facts_read(struct mm_diff_facts *facts, const struct mm_input *input,
                       int rank, struct cca_error *err)
{
    size_t count = input->count;
    int is_time = strcmp(input->metric.name, "TIME") == 0 ||
                  strcmp(input->metric.name, "CPU_TIME") == 0,
        result = 0;

    memset(facts, 0, sizeof *facts);
    facts->when = calloc(count + 1, sizeof *facts->when);
    facts->programs = calloc(count + 1, sizeof *facts->programs);
    for (int i = 0; i < MM_DIFF_WHOLES; i++)
        facts->whole[i] = calloc(count + 1, sizeof *facts->whole[i]);
    if (!facts->when || !facts->programs || !facts->whole[MM_DIFF_CPU] ||
        !facts->whole[MM_DIFF_REST] || !facts->whole[MM_DIFF_MEMORY])
        return cca_no_memory(err);
    for (size_t i = 0; i < count && !result; i++) {
        double whole[MM_DIFF_WHOLES] = {NAN, NAN, NAN};

        facts->when[i] = 1e-9 * (double)input->experiments[i]->epoch_ns;
        facts->programs[i] = program_of(input->experiments[i]);
        if (is_time)
            result = read_whole(input, i, rank, whole, err);
        for (int k = 0; k < MM_DIFF_WHOLES; k++)
            facts->whole[k][i] = whole[k];
    }
    return result;
}

void mm_diff_facts_done(struct mm_diff_facts *facts)
{
    free(facts->when);
    free(facts->programs);
    for (int i = 0; i < MM_DIFF_WHOLES; i++)
        free(facts->whole[i]);
    memset(facts, 0, sizeof *facts);
}
