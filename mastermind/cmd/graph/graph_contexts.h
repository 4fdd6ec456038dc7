/* SPDX-License-Identifier: BSD-3-Clause */
/* graph_contexts.h: print the calling contexts of a run. */
#ifndef MASTERMIND_CMD_GRAPH_GRAPH_CONTEXTS_H
#define MASTERMIND_CMD_GRAPH_GRAPH_CONTEXTS_H

#include "mastermind/counts/counts.h"
#include "mastermind/cmd/kept.h"

struct mm_svg_options; /* see graph_svg.h */

/* Options of the verb and the contexts found. */
struct mm_graph_contexts {
    int json, dot, by_rank, by_mode, fold;
    const struct mm_svg_options *svg; /* NULL: no picture */
    struct mm_core_options prune;
    const struct mm_experiment *experiment;
    const struct mm_contexts *contexts;
    const struct mm_core *core;
    struct mm_kept kept;
};

/* Walk the rows of the experiment at `path` and print its contexts. Returns an exit code.
 */
int mm_graph_contexts(struct mm_graph_contexts *graph, const char *path);

/* Print all contexts that were not cut as JSON. Returns an exit code. */
int mm_graph_contexts_json(const struct mm_graph_contexts *graph);

/* Number of contexts with calls; roots such as <thread> have none. */
size_t mm_graph_contexts_called(const struct mm_contexts *contexts);
/* Share of `ns` in the time of all contexts. */
double mm_graph_share(const struct mm_graph_contexts *graph, double ns);
/* Print a text, escaped for a quoted DOT string. */
void mm_graph_dot_string(const char *text);

#endif
