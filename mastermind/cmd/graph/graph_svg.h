/* SPDX-License-Identifier: BSD-3-Clause */
/* graph_svg.h: draw the wiring, the dual and the calling contexts of a run.
 *
 *   graph_svg.c   the run, its models, the output file
 *   svg_core.c    which methods are drawn, and which are cut
 *   svg_dual.c    svg_wiring.c    svg_contexts.c    one kind of picture each
 *   svg_laws.c    counts of an edge in the runs of a sweep, and their scaling function */
#ifndef MASTERMIND_CMD_GRAPH_GRAPH_SVG_H
#define MASTERMIND_CMD_GRAPH_GRAPH_SVG_H

#include "mastermind/forecast/models/modelled.h"
#include "mastermind/cmd/graph/graph_contexts.h"
#include "mastermind/picture/picture.h"

/* Options of the verb. */
struct mm_svg_options {
    const char *path; /* output file; NULL: standard output */
    int has_prune, has_sibling;
    struct mm_core_options prune;
};

/* The methods that are drawn, and the methods that were cut. */
struct mm_svg_core {
    unsigned char *keep; /* [vertex_count of the dual] true if the method is drawn */
    uint64_t methods;    /* methods with calls */
    uint64_t cut, calls; /* number of cut methods, and their calls */
    double cut_ns;       /* exclusive time of the cut methods */
    double limit_ns;     /* upper limit of `cut_ns` by the rules of --prune */
    char rule[120];      /* text of the rule: "--prune 5: methods with less than 5 % of
                          * the run" */
};

struct mm_svg_laws;

/* A run and the data to draw it; all borrowed. */
struct mm_svg_run {
    const struct mm_experiment *experiment;
    const struct mm_profile *profile;
    const struct mm_dual *dual;
    const struct mm_svg_core *core;
    struct mm_svg_laws *laws;     /* scaling functions of counts over the runs; NULL:
                                   * there is only one run */
    struct mm_modelled *modelled; /* [vertex_count] */
    double predicted_ns;          /* time of the run as models predict it; as measured
                                   * for methods without a model */
};

/* Choose the methods to draw. Returns 0, or a negative errno with `err`; mm_svg_core_done
 * frees the result. */
int mm_svg_core_find(struct mm_svg_core *core, const struct mm_svg_options *options,
                     struct mm_experiment *experiment, const struct mm_dual *dual,
                     struct cca_error *err);
void mm_svg_core_done(struct mm_svg_core *core);
/* Write a line about the cut methods: "12 methods, 340 calls, 1.2 % of ...". */
void mm_svg_core_print(const struct mm_svg_core *core, const struct mm_dual *dual,
                       char *text, size_t size);

/* Build the nodes and edges of a picture, without positions. Each returns 0 or -ENOMEM;
 * call mm_picture_done in any case. */
int mm_svg_dual(struct mm_picture *picture, const struct mm_svg_run *run);
int mm_svg_wiring(struct mm_picture *picture, const struct mm_svg_run *run);

/* Share of a vertex in the exclusive time by its models. NaN: no model. */
double mm_svg_predicted(const struct mm_svg_run *run, size_t vertex);
/* Share of `ns` in the run's time. */
double mm_svg_share(const struct mm_svg_run *run, double ns);

/* Find the contexts to draw: by the rule of --prune, else as many as a picture can show;
 * contexts->prune gets the rule that was used. Returns 0 or -ENOMEM; call mm_core_done in
 * any case. See svg_contexts.c. */
int mm_svg_contexts_core(struct mm_core *core, struct mm_graph_contexts *contexts);
/* Draw the contexts. Returns an exit code. */
int mm_svg_contexts(const struct mm_graph_contexts *contexts);
/* Make a new document, mastermind/graph/1, with the vertices for which `keep`
 * [vertex_count] is set. See cmd_graph.c. */
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

/* Prepare scaling functions of counts over the runs of an input. The result is new, or
 * NULL with `err`; the input must outlive it. See svg_laws.c. */
struct mm_svg_laws *mm_svg_laws_new(const struct mm_input *input, size_t base,
                                    struct cca_error *err);
void mm_svg_laws_free(struct mm_svg_laws *laws);
/* Write the parameters of the base that varied: "NX=128 flux=EFMFlux", or nothing. */
void mm_svg_laws_point(const struct mm_svg_laws *laws, FILE *to);
/* Begin a sum over edges of the base's dual; add an edge to it. */
void mm_svg_laws_begin(struct mm_svg_laws *laws);
void mm_svg_laws_add(struct mm_svg_laws *laws, const struct mm_edge *edge);
/* Write lines with the sum over the added edges in all runs, and its scaling function.
 * Returns 0, or a negative errno with `err`. */
int mm_svg_laws_write(struct mm_svg_laws *laws, FILE *to, struct cca_error *err);

#endif
