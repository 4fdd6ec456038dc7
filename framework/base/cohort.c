/* SPDX-License-Identifier: BSD-3-Clause */
/* cohort.c: ranks agree on a step, and rank 0 reports the ranks that differ or failed. */
#include "framework/cohort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_DIFFERS = 3, STATUS_NO_MEMORY = 5 }; /* enum cca_exit */

/* First message of each rank in an agreement. */
struct vote {
    uint64_t digest;
    int32_t status;
    int32_t second_hand; /* true if the rank failed only because another rank did */
};

/* Second message of each rank, if the votes differ. */
struct words {
    char place[256], text[640];
};

struct council {
    struct cca_cohort *cohort;
    struct vote *votes;  /* [size] */
    struct words *words; /* [size] */
    FILE *out;
};

uint64_t cca_digest(uint64_t digest, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;

    if (!digest)
        digest = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < size; i++) {
        digest = (digest ^ byte[i]) * 0xff51afd7ed558ccdu;
        digest ^= digest >> 29;
    }
    return digest ? digest : 1;
}

/* Copy one line, cut to `size` bytes, with control characters replaced by '?'. */
static void copy_line(char *to, const char *from, size_t size)
{
    size_t i = 0;

    for (; from && from[i] && i + 1 < size; i++)
        to[i] = (unsigned char)from[i] < ' ' || from[i] == 127 ? '?' : from[i];
    to[i] = '\0';
}

/* True if rank `rank` must be reported: if `expected` is -1, because it failed; else
 * because it differs from rank `expected`. */
static int is_reported(const struct council *c, int rank, int expected)
{
    if (expected >= 0)
        return c->votes[rank].digest != c->votes[expected].digest;
    return c->votes[rank].status && !c->votes[rank].second_hand;
}

static int same_words(const struct council *c, int a, int b)
{
    return !strcmp(c->words[a].text, c->words[b].text) &&
           !strcmp(c->words[a].place, c->words[b].place);
}

/* Print the ranks with the same report as `first`, "rank 2: " or "ranks 0, 2: "; print
 * nothing if all ranks have this report. */
static void print_ranks(const struct council *c, int first, int expected)
{
    int size = c->cohort->size, count = 0, printed = 0;

    for (int rank = first; rank < size; rank++)
        count += is_reported(c, rank, expected) && same_words(c, first, rank);
    if (count == size)
        return;
    fputs(count > 1 ? "ranks " : "rank ", c->out);
    for (int rank = first; rank < size && printed <= 16; rank++)
        if (is_reported(c, rank, expected) && same_words(c, first, rank))
            fprintf(c->out, printed++ ? ", %d" : "%d", rank);
    fputs(printed < count ? " and more: " : ": ", c->out);
}

static void print_words(const struct council *c, int rank, int expected)
{
    const struct words *found = &c->words[rank],
                       *wanted = &c->words[expected < 0 ? 0 : expected];

    if (*found->place)
        fprintf(c->out, "%s: ", found->place);
    if (expected < 0) {
        fprintf(c->out, "%s\n", found->text);
        return;
    }
    fprintf(c->out, "found %s, expected ", found->text);
    if (strcmp(found->place, wanted->place) != 0 && *wanted->place)
        fprintf(c->out, "%s: ", wanted->place);
    fprintf(c->out, "%s as on rank %d\n", wanted->text, expected);
}

static void print_reports(const struct council *c, int expected)
{
    for (int rank = 0; rank < c->cohort->size; rank++) {
        int done = !is_reported(c, rank, expected) || !*c->words[rank].text;

        for (int before = 0; before < rank && !done; before++)
            done = is_reported(c, before, expected) && same_words(c, before, rank);
        if (done)
            continue;
        print_ranks(c, rank, expected);
        print_words(c, rank, expected);
    }
    fflush(c->out);
}

/* Return the first rank in the largest group of ranks with equal digests. */
static int majority_rank(const struct council *c)
{
    int best = 0, most = 0;

    for (int rank = 0; rank < c->cohort->size; rank++) {
        int count = 0;

        for (int other = 0; other < c->cohort->size; other++)
            count += c->votes[other].digest == c->votes[rank].digest;
        if (count > most) {
            most = count;
            best = rank;
        }
    }
    return best;
}

/* Return the first rank with a failure of its own; -1: none. */
static int first_failed_rank(const struct council *c)
{
    for (int rank = 0; rank < c->cohort->size; rank++)
        if (c->votes[rank].status && !c->votes[rank].second_hand)
            return rank;
    return -1;
}

/* Return the exit status of the first rank that failed; 0: no rank failed. */
static int first_failure(struct council *c)
{
    int rank = first_failed_rank(c);

    if (rank < 0) { /* all failures are consequences: report the first one */
        for (int i = 0; i < c->cohort->size; i++)
            c->votes[i].second_hand = 0;
        rank = first_failed_rank(c);
    }
    return rank < 0 ? 0 : c->votes[rank].status;
}

_Noreturn static void give_up(struct cca_cohort *cohort, const struct cca_step *mine,
                              int why, FILE *out)
{
    struct words words;

    copy_line(words.place, mine->place, sizeof words.place);
    copy_line(words.text, mine->text, sizeof words.text);
    if (mine->status && *words.text)
        fprintf(out, "rank %d: %s%s%s\n", cohort->rank, words.place,
                *words.place ? ": " : "", words.text);
    fprintf(out, "rank %d: the ranks cannot agree: %s; all are ended\n", cohort->rank,
            why == -ETIMEDOUT ? "some have not come within five seconds of this failure"
                              : strerror(-why));
    fflush(NULL);
    cohort->abort(cohort, mine->status ? mine->status : STATUS_NO_MEMORY);
    abort(); /* not reached: the cohort's function abort does not return */
}

/* A rank failed or differs: exchange the reports, and let rank 0 print them. */
static int report_failures(struct council *c, const struct cca_step *mine)
{
    struct cca_cohort *cohort = c->cohort;
    struct words words = {0};
    int status = first_failure(c), code = -ENOMEM;

    c->words = calloc((size_t)cohort->size, sizeof *c->words);
    copy_line(words.place, mine->place, sizeof words.place);
    copy_line(words.text, mine->text, sizeof words.text);
    if (c->words)
        code = cohort->gather(cohort, &words, sizeof words, c->words, mine->status != 0);
    if (code)
        give_up(cohort, mine, code, c->out);
    if (cohort->rank == 0)
        print_reports(c, status ? -1 : majority_rank(c));
    free(c->words);
    cohort->renew(cohort);
    return status ? status : STATUS_DIFFERS;
}

int cca_cohort_agree(struct cca_cohort *cohort, const struct cca_step *mine, FILE *out,
                     int *all_failed)
{
    size_t size = (size_t)cohort->size;
    struct council c = {
        .cohort = cohort, .votes = calloc(size, sizeof *c.votes), .out = out};
    struct vote vote = {.digest = mine->digest,
                        .status = mine->status,
                        .second_hand = mine->status && cohort->alarmed(cohort) >= 0};
    int status = 0, failed = 0, code = c.votes ? 0 : -ENOMEM;

    if (!code)
        code = cohort->gather(cohort, &vote, sizeof vote, c.votes, mine->status != 0);
    if (code)
        give_up(cohort, mine, code, out);
    for (size_t rank = 0; rank < size; rank++)
        failed += c.votes[rank].status != 0;
    if (all_failed)
        *all_failed = failed == cohort->size;
    for (size_t rank = 0; rank < size && !status; rank++)
        if (c.votes[rank].status || c.votes[rank].digest != c.votes[0].digest)
            status = report_failures(&c, mine);
    free(c.votes);
    return status;
}
