/* SPDX-License-Identifier: BSD-3-Clause */
/* sums.c: is the sum that models give over a run's own calls the sum that was measured?
 *
 *     sums [--runs N] [--seed N] [--show]
 *
 * N (200) runs of tails.h, each from rows, samples and aggregates.
 *
 * Exit 0; 1: more than one sum in fifty is wrong; 2: misuse; 5: no memory. */
#include "bench/models/tails.h"

struct count {
    int runs, within, right, narrow; /* narrow: interval known, and at most +- 25 % */
};

/* Add a run's answer to `count`; 1 if it is right. */
static int count_add(struct count *count, const struct run *run, const struct answer *a)
{
    int right = answer_is_right(run, a);

    count->runs++;
    count->within += answer_is_within(run, a);
    count->right += right;
    count->narrow += a->half <= .25 * a->predicted;
    return right;
}

static int number(const char *option, const char *text)
{
    char *end = NULL;
    long value = text ? strtol(text, &end, 10) : 0;

    if (!text || !*text || *end || value < 1 || value > 1000000) {
        fprintf(stderr, "sums: %s: '%s', expected a number from 1\n", option,
                text ? text : "");
        exit(2);
    }
    return (int)value;
}

static int print_counts(struct count counts[KINDS][STORAGES])
{
    int runs = 0, wrong = 0;

    printf("%-12s", "");
    for (int s = 0; s < STORAGES; s++)
        printf("  %-26s", storage_names[s]);
    printf("\n%-12s", "");
    for (int s = 0; s < STORAGES; s++)
        printf("  %-26s", " runs  <2 %  right narrow");
    putchar('\n');
    for (int k = 0; k < KINDS; k++) {
        printf("%-12s", kind_names[k]);
        for (int s = 0; s < STORAGES; s++) {
            const struct count *c = &counts[k][s];

            if (c->runs)
                printf("  %5d %5d  %5d  %5d ", c->runs, c->within, c->right, c->narrow);
            runs += c->runs;
            wrong += c->runs - c->right;
        }
        putchar('\n');
    }
    printf("%d of %d sums are wrong\n", wrong, runs);
    return wrong * 50 > runs;
}

int main(int argc, char **argv)
{
    struct count counts[KINDS][STORAGES] = {0};
    struct run *run = malloc(sizeof *run);
    int runs = 200, seed = 1, show = 0;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--show"))
            show = 1;
        else if (!strcmp(argv[i], "--runs"))
            runs = number("--runs", argv[++i]);
        else if (!strcmp(argv[i], "--seed"))
            seed = number("--seed", argv[++i]);
        else {
            fprintf(stderr, "sums: unknown option '%s'\n", argv[i]);
            return 2;
        }
    }
    if (!run)
        return 5;
    for (int i = 0; i < runs; i++) {
        run_number(run, seed, i);
        for (int s = 0; s < run_storages(run); s++) {
            struct answer a;

            run_store(run, s);
            if (run_predict(run, &a))
                return 5;
            if (!count_add(&counts[run->kind][s], run, &a) && show)
                printf("  %-44s %-10s %+6.1f %%, interval +- %.1f %%\n", run->about,
                       storage_names[s], 100 * (a.predicted / a.measured - 1),
                       100 * a.half / a.predicted);
        }
    }
    free(run);
    return print_counts(counts);
}
