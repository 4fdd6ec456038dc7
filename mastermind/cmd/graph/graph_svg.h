/* SPDX-License-Identifier: BSD-3-Clause */
/* graph_svg.h: the wiring, the dual and the calling contexts of a run, drawn.
 *
 *   graph_svg.c   what to draw: the run, its models, the file
 *   svg_core.c    which methods are drawn, and what was cut
 *   svg_dual.c    svg_wiring.c    svg_contexts.c    one kind of picture each
 *   svg_laws.c    counts of an edge in the runs of a sweep, and their law */
#ifndef MASTERMIND_CMD_GRAPH_GRAPH_SVG_H
#define MASTERMIND_CMD_GRAPH_GRAPH_SVG_H

#include "mastermind/forecast/models/modelled.h"
#include "mastermind/cmd/graph/graph_contexts.h"
#include "mastermind/picture/picture.h"

/* What the user asked for. */
struct mm_svg_options {
    const char *path; /* of the file; NULL: standard output */
    int has_prune, has_sibling;
    struct mm_core_options prune;
};

/* The methods that are drawn, and those that are not. */
struct mm_svg_core {
    unsigned char *keep; /* [vertex_count of the dual] */
    uint64_t methods;    /* with calls */
    uint64_t cut, calls; /* methods that were cut, their calls, */
    double cut_ns;       /* their exclusive time, */
    double limit_ns;     /* and what the rule allows at most */
    char rule[120];      /* "--prune 5: methods with less than 5 % of the run" */
};

struct mm_svg_laws;

/* A run and all that is known to draw it; borrowed. */
struct mm_svg_run {
    const struct mm_experiment *experiment;
    const struct mm_profile *profile;
    const struct mm_dual *dual;
    const struct mm_svg_core *core;
    struct mm_svg_laws *laws;     /* NULL: there is one run only */
    struct mm_modelled *modelled; /* [vertex_count] */
    double predicted_ns;          /* by models, or as measured where there is none */
};

/* Choose the methods to draw. 0, or a negative errno with `err`; mm_svg_core_done frees
 * it. */
int mm_svg_core_find(struct mm_svg_core *core, const struct mm_svg_options *options,
                     struct mm_experiment *experiment, const struct mm_dual *dual,
                     struct cca_error *err);
void mm_svg_core_done(struct mm_svg_core *core);
/* Write a line on what was cut: "12 methods, 340 calls, 1.2 % of ...". */
void mm_svg_core_print(const struct mm_svg_core *core, const struct mm_dual *dual,
                       char *text, size_t size);

/* Build pictures to place. 0 or -ENOMEM; mm_picture_done in any case. */
int mm_svg_dual(struct mm_picture *picture, const struct mm_svg_run *run);
int mm_svg_wiring(struct mm_picture *picture, const struct mm_svg_run *run);

/* Share of a vertex in the exclusive time, measured and by models; NaN: no model. */
double mm_svg_measured(const struct mm_svg_run *run, size_t vertex);
double mm_svg_predicted(const struct mm_svg_run *run, size_t vertex);
/* Share of the run's time. */
double mm_svg_share(const struct mm_svg_run *run, double ns);

/* Find the core that was asked for, or the largest that can be read, whose rule goes to
 * contexts->prune. 0 or -ENOMEM; mm_core_done in any case. svg_contexts.c */
int mm_svg_contexts_core(struct mm_core *core, struct mm_graph_contexts *contexts);
/* Draw the contexts. Returns an exit code. */
int mm_svg_contexts(const struct mm_graph_contexts *contexts);
/* New document, mastermind/graph/1, of the vertices that `keep` [vertex_count] has.
 * cmd_graph.c */
json_t *mm_graph_document(const struct mm_experiment *experiment,
                          const struct mm_dual *dual, const struct mm_kept *kept,
                          const unsigned char *keep);
/* Place the pictures and write the document. Returns an exit code. */
int mm_svg_output(const struct mm_svg_options *options,
                  const struct mm_picture_sheet *sheet, struct mm_picture *pictures,
                  size_t count);
/* Draw wiring and dual of the first of `paths`, or of the longest run of a sweep. Returns
 * an exit code. */
int mm_graph_svg(const struct mm_svg_options *options, char *const *paths, int count);

/* Prepare laws of the runs of an input. New, or NULL with `err`; the input must outlive
 * it. svg_laws.c */
struct mm_svg_laws *mm_svg_laws_new(const struct mm_input *input, size_t base,
                                    struct cca_error *err);
void mm_svg_laws_free(struct mm_svg_laws *laws);
/* Write the parameters of the base that varied: "NX=128 flux=EFMFlux", or nothing. */
void mm_svg_laws_point(const struct mm_svg_laws *laws, FILE *to);
/* Begin a sum of edges of the base's dual, and add one. */
void mm_svg_laws_begin(struct mm_svg_laws *laws);
void mm_svg_laws_add(struct mm_svg_laws *laws, const struct mm_edge *edge);
/* Write lines on the counts of this sum in all runs, and their law. 0, or a negative
 * errno with `err`. */
int mm_svg_laws_write(struct mm_svg_laws *laws, FILE *to, struct cca_error *err);

#endif
