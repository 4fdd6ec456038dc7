/* SPDX-License-Identifier: BSD-3-Clause */
/* messages_verb.h: what the parts of the verb messages share. */
#ifndef MASTERMIND_CMD_MESSAGES_MESSAGES_VERB_H
#define MASTERMIND_CMD_MESSAGES_MESSAGES_VERB_H

#include "mastermind/cmd/cmd.h"
#include "messages/read/sites.h"
#include "messages/read/groups.h"

enum messages_view { /* what is asked for */
                     VIEW_CLASSES,
                     VIEW_MATRIX,
                     VIEW_CHANNELS,
                     VIEW_SIZES,
                     VIEW_HISTOGRAM,
                     VIEW_COLLECTIVES,
                     VIEW_RECORDS
};

enum messages_form { FORM_TEXT, FORM_CSV, FORM_JSON };

struct messages_verb {
    struct mm_experiment *experiment;
    struct mm_messages *messages;
    struct mm_messages_joined joined;
    struct mm_site_names *sites;
    enum messages_view view;
    enum messages_form form;
    unsigned by;                /* of the matrix: MM_BY_RANKS, _NODES or _METHODS */
    const char *from, *to;      /* globs, or NULL */
    size_t limit;               /* lines of text */
    struct mm_message_sums all; /* all samples that the globs take */
    json_t *rows;               /* JSON: of the view */
    json_t *columns;            /* keys of its rows, in the order of CSV */
    struct cca_error err;
};

/* One quantity of a group, for rows of CSV and JSON: "late_sender_ns", "_low_ns",
 * "_high_ns"; the ends are absent where there is no interval. */
void messages_put_estimate(json_t *row, const char *name, struct mm_estimate estimate);

/* --- select.c: --from, --to -------------------------------------------------------- */

/* True if the globs take a part: each one the rank, the host, the method or the callsite
 * of its end. */
int messages_takes(struct messages_verb *verb, const struct mm_message_part *part);
/* The same by rank and host alone, for channels. */
int messages_takes_ranks(const struct messages_verb *verb, int src, int dst);

/* --- head.c ------------------------------------------------------------------------ */

/* Messages that samples are drawn from, exactly; 0: not known, as something filtered them
 * (min=, site=, method=, recording off, --from, --to). */
double messages_population(const struct messages_verb *verb);
/* Samples that were taken and are in no sum. */
uint64_t messages_lost(const struct messages_verb *verb);
/* Print a line, in several of at most 98 characters where it is longer. */
void messages_print_wrapped(const char *words);
/* Print the first line: strategy, counts, nodes, clock. */
void messages_print_head(const struct messages_verb *verb);
/* Print what is odd about the run: losses with their reasons, missing ranks. */
void messages_print_notes(const struct messages_verb *verb);
/* New document with all members but the rows. */
json_t *messages_document(const struct messages_verb *verb);

/* --- rows -------------------------------------------------------------------------- */

/* Print a row as CSV, or keep it for JSON. Steals `row`. */
void messages_row(struct messages_verb *verb, json_t *row);
void messages_csv_head(const struct messages_verb *verb);

/* --- views: each returns -1, or an exit code after a message ------------------------ */

int messages_groups_view(struct messages_verb *verb); /* classes, matrix, sizes */
int messages_channels_view(struct messages_verb *verb);
int messages_histogram_view(struct messages_verb *verb);
int messages_collectives_view(struct messages_verb *verb);
int messages_records_view(struct messages_verb *verb);

/* "412 (371 .. 453)" of nanoseconds in ms; without interval "412"; "412 (exact)" where
 * all messages were sampled and none was lost. */
const char *messages_ms(const struct messages_verb *verb, struct mm_estimate estimate);
/* "256-511", "0", "1.0-2.0K". */
const char *messages_size(uint32_t size_class);
/* "flux.flux.compute smooth relax.c:88": of one end; what a group does not tell apart is
 * left out. Cut to `most` characters. */
const char *messages_end(struct messages_verb *verb, const struct mm_message_group *group,
                         int is_send, size_t most);

#endif
