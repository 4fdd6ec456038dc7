/* SPDX-License-Identifier: BSD-3-Clause */
/* page.h: the document with all data that the page of `report --html` shows.
 *
 *   gather.c      walk the run, put the document together
 *   curves.c      curves of the models
 *   tree.c        calling contexts for the flame graph, the wiring, and sums by rank
 *   findings.c    performance problems, by the properties of the wing
 *   about.c       the run, its methods, documents of other verbs
 *   html.c        options, the bundle, the file */
#ifndef MASTERMIND_CMD_PAGE_PAGE_H
#define MASTERMIND_CMD_PAGE_PAGE_H

#include "mastermind/counts/counts.h"
#include "mastermind/cmd/report/report.h"
#include "mastermind/page/calls.h"
#include "mastermind/page/timeline.h"

enum {
    MM_PAGE_POINTS = 200000, /* largest number of calls to which models are fitted, and in
                                which problems are searched; of more calls a sample is
                                taken */
    MM_PAGE_CONTEXTS = 20000, /* largest number of contexts of the flame graph */
    MM_PAGE_RANKS = 1024 /* largest number of ranks whose sums are listed one by one */
};

/* A run and the data derived from it, all owned. */
struct mm_page {
    struct mm_experiment *experiment;
    struct mm_metric metric;
    struct mm_row_source source;
    struct mm_profile *profile;
    struct mm_page_calls calls;
    struct mm_timeline timeline;
    struct mm_library *library;
    struct mm_contexts *contexts;
    struct mm_dual *contexts_dual;
    uint64_t *one_in; /* [method_count] sampling interval n of each method: one call of n
                         becomes a point */
};

/* Walk the run at `path`. Returns 0 or a negative errno with `err`; call mm_page_done in
 * any case. */
int mm_page_read(struct mm_page *page, const char *path, struct cca_error *err);
void mm_page_done(struct mm_page *page);
/* Make a new document, mastermind/page/1, with `findings`, which it steals, and without
 * documents of other verbs; NULL with `err`. */
json_t *mm_page_document(struct mm_page *page, json_t *findings, struct cca_error *err);
/* Make the document of the verb properties for the run at `path`. Returns -1 to go on,
 * else an exit code after a message. */
int mm_page_findings(const char *path, json_t **document);

/* Each function makes a new array or object, a member of the document. */
json_t *mm_page_about(const struct mm_page *page);
json_t *mm_page_methods(const struct mm_page *page);
json_t *mm_page_curves(const struct mm_page *page);
json_t *mm_page_contexts(const struct mm_page *page); /* calling contexts; NULL: out of
                                                       * memory */
json_t *mm_page_wiring(const struct mm_page *page);   /* wiring of the run; NULL: there
                                                       * is none */
json_t *mm_page_ranks(const struct mm_page *page);    /* times of each rank; NULL: one
                                                       * rank, or too many */

#endif
