/* SPDX-License-Identifier: BSD-3-Clause */
/* messages_verb.h: shared by the files of the verb messages. */
#ifndef MASTERMIND_CMD_MESSAGES_MESSAGES_VERB_H
#define MASTERMIND_CMD_MESSAGES_MESSAGES_VERB_H

#include "mastermind/cmd/cmd.h"
#include "messages/read/sites.h"
#include "messages/read/groups.h"

enum messages_view { /* the view to print */
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
    unsigned by; /* grouping of the matrix: MM_BY_RANKS, MM_BY_NODES or MM_BY_METHODS */
    const char *from, *to;      /* globs of --from and --to, or NULL */
    size_t limit;               /* largest number of lines of text */
    struct mm_message_sums all; /* all samples that match --from and --to */
    json_t *rows;               /* rows of the view, for JSON */
    json_t *columns;            /* keys of the rows, in the order of CSV columns */
    struct cca_error err;
};

/* Set one quantity of a group in a row of CSV or JSON: "late_sender_ns", and the ends of
 * its interval, "_low_ns" and "_high_ns", if there is one. */
void messages_put_estimate(json_t *row, const char *name,
                           struct mm_message_estimate estimate);
/* Add a row of [count] cells; a name that is too long has a line of its own. */
void messages_table_row(struct mm_table *table, char cells[][MM_CELL], int count,
                        const char *name);

/* --- select.c: --from, --to -------------------------------------------------------- */

/* True if both globs match: each is compared with rank, host, method and callsite of its
 * end of the messages. */
int messages_takes(struct messages_verb *verb, const struct mm_message_part *part);
/* Like messages_takes, but compare ranks and hosts only, for channels. */
int messages_takes_ranks(const struct messages_verb *verb, int src, int dst);

/* --- head.c ------------------------------------------------------------------------ */

/* The exact number of messages that samples were drawn from; 0: unknown, because a filter
 * was on (min=, site=, method=, recording off, --from, --to). */
double messages_population(const struct messages_verb *verb);
/* Number of samples that were taken but then lost. */
uint64_t messages_lost(const struct messages_verb *verb);
/* Print a text, wrapped at 98 characters. */
void messages_print_wrapped(const char *words);
/* Print the first line: sampling request, counts, nodes, clock. */
void messages_print_head(const struct messages_verb *verb);
/* Print notes on losses with their reasons, and on missing ranks. */
void messages_print_notes(const struct messages_verb *verb);
/* Make a new document with all members but the rows. */
json_t *messages_document(const struct messages_verb *verb);

/* --- rows -------------------------------------------------------------------------- */

/* Print a row as CSV, or store it for JSON. Steals `row`. */
void messages_row(struct messages_verb *verb, json_t *row);
void messages_csv_head(const struct messages_verb *verb);

/* --- views: each returns -1, or an exit code after a message ------------------------ */

/* prints the views `classes` (by callsites), `matrix` and `sizes` */
int messages_groups_view(struct messages_verb *verb);
int messages_channels_view(struct messages_verb *verb);
int messages_histogram_view(struct messages_verb *verb);
int messages_collectives_view(struct messages_verb *verb);
int messages_records_view(struct messages_verb *verb);

/* Write ns as ms with the interval, "412 (371 .. 453)"; without an interval "412"; "412
 * (exact)" if all messages were sampled and none was lost. */
const char *messages_ms(const struct messages_verb *verb,
                        struct mm_message_estimate estimate);
/* Range of a size class, "256-511", "0", "1.0-2.0K". */
const char *messages_size(uint32_t size_class);
/* Describe one end of a group's messages, "flux.flux.compute smooth relax.c:88", without
 * the parts that the group sums over. Cut to `most` characters. */
const char *messages_end(struct messages_verb *verb, const struct mm_message_group *group,
                         int is_send, size_t most);

#endif
