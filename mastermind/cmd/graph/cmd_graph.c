/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_graph.c: the dual of a run, as text, JSON, DOT or a picture. */
#include <stdlib.h>
#include <string.h>

#include "mastermind/cmd/graph/graph_svg.h"

static double share_of(const struct mm_dual *dual, const struct mm_vertex *v)
{
    return dual->total_ns > 0 ? (double)v->exclusive_ns / (double)dual->total_ns : 0;
}

static void dot_vertex(const struct mm_dual *dual, size_t at)
{
    const struct mm_vertex *v = &dual->vertices[at];
    double share = share_of(dual, v);
    int light;

    if (!v->method) {
        printf("  v%zu [label=\"%s\", shape=plain, fontcolor=\"#666666\"];\n", at,
               v->name);
        return;
    }
    light =
        97 -
        (int)(32 * (share > 1 ? 1 : share)); /* share 0..1; larger shares are darker */
    printf("  v%zu [label=\"", at);
    mm_graph_dot_string(mm_safe(v->name));
    printf("\\n");
    mm_graph_dot_string(mm_safe(v->method->class_name));
    printf("\\n%.1f %%   %s/call%s\", penwidth=%.2f, fillcolor=\"0.58 %.3f %.2f\", "
           "tooltip=\"",
           share * 100,
           mm_time(v->calls ? (double)v->inclusive_ns / (double)v->calls : 0),
           v->open ? "\\nnot finished" : "", 1 + 5 * share, 0.05 + 0.5 * share,
           light / 100.0);
    mm_graph_dot_string(mm_safe(v->method->port_type));
    printf(", %s\"];\n", mm_counted(v->calls, "call"));
}

static int print_dot(const struct mm_input *input, const unsigned char *keep)
{
    const struct mm_dual *dual = input->profiles[0]->dual;

    printf("digraph \"");
    mm_graph_dot_string(mm_safe(input->experiments[0]->name));
    puts("\" {\n  rankdir=TB;\n  node [shape=box, style=\"rounded,filled\", "
         "fontname=\"Helvetica\", "
         "fontsize=11];\n  edge [fontname=\"Helvetica\", fontsize=10, "
         "color=\"#444444\"];");
    for (size_t i = 0; i < dual->vertex_count; i++) {
        if (keep[i])
            dot_vertex(dual, i);
    }
    for (size_t i = 0; i < dual->edge_count; i++) {
        const struct mm_edge *edge = &dual->edges[i];
        double share =
            dual->total_ns > 0 ? (double)edge->inclusive_ns / (double)dual->total_ns : 0;

        if (keep[edge->caller] && keep[edge->callee])
            printf("  v%zu -> v%zu [label=\" %s\", penwidth=%.2f];\n", edge->caller,
                   edge->callee, mm_thousands(edge->calls), 1 + 4 * share);
    }
    puts("}");
    return mm_finish_output(MM_EXIT_DONE);
}

static json_t *vertex_json(const struct mm_dual *dual, size_t at, int has_mpi)
{
    const struct mm_vertex *v = &dual->vertices[at];
    json_t *vertex = json_object();

    mm_json_put(vertex, "id", json_integer((json_int_t)at));
    if (v->method)
        mm_json_put_method(vertex, v->method);
    else
        mm_json_put(vertex, "name", json_string(v->name));
    mm_json_set(vertex, "calls open inclusive_ns exclusive_ns", (json_int_t)v->calls,
                (json_int_t)v->open, v->inclusive_ns, v->exclusive_ns);
    if (has_mpi)
        mm_json_put(vertex, "mpi_exclusive_ns", json_integer(v->mpi_ns));
    mm_json_put(vertex, "share", mm_json_finite(share_of(dual, v)));
    return vertex;
}

json_t *mm_graph_document(const struct mm_experiment *experiment,
                          const struct mm_dual *dual, const struct mm_kept *kept,
                          const unsigned char *keep)
{
    json_t *document = mm_json_document("graph"), *vertices = json_array();
    json_t *edges = json_array();

    mm_json_set(document, "experiment finished total_ns", experiment->name,
                json_boolean(experiment->finished), dual->total_ns);
    mm_kept_put(document, kept);
    for (size_t i = 0; i < dual->vertex_count; i++) {
        if (keep[i])
            json_array_append_new(vertices, vertex_json(dual, i, experiment->has_mpi));
    }
    for (size_t i = 0; i < dual->edge_count; i++) {
        const struct mm_edge *edge = &dual->edges[i];
        json_t *item;

        if (!keep[edge->caller] || !keep[edge->callee])
            continue;
        item = json_object();
        mm_json_set(item, "caller callee calls inclusive_ns", (json_int_t)edge->caller,
                    (json_int_t)edge->callee, (json_int_t)edge->calls,
                    edge->inclusive_ns);
        json_array_append_new(edges, item);
    }
    mm_json_set(document, "vertices edges", vertices, edges);
    return document;
}

/* Note how many methods --prune left out, as shares then do not add up to 100 %. */
static int note_pruned(struct mm_notes *notes, const struct mm_dual *dual,
                       const unsigned char *keep, double prune)
{
    uint64_t methods = 0, calls = 0;
    double cost = 0;

    for (size_t i = 0; i < dual->thread_vertex; i++) {
        if (keep[i] || !dual->vertices[i].calls)
            continue;
        methods++;
        calls += dual->vertices[i].calls;
        cost += (double)dual->vertices[i].exclusive_ns;
    }
    return methods ? mm_notes_add(notes, "--prune %.6g leaves out %s: %s, %s", prune,
                                  mm_counted(methods, "method"), mm_time(cost),
                                  mm_counted(calls, "call"))
                   : 0;
}

static int run_graph(const struct mm_input *input, double prune, int json)
{
    const struct mm_dual *dual = input->profiles[0]->dual;
    unsigned char *keep = calloc(dual->vertex_count, 1);
    struct mm_notes notes = {0};
    struct mm_kept kept;
    struct cca_error err = {0};
    int result;

    if (keep)
        mm_dual_core(dual, prune, keep);
    if (!keep || mm_kept_read(&kept, input->experiments[0], dual, &err) ||
        mm_kept_note(&notes, "", &kept) || mm_kept_note_end(&notes, "", &kept) ||
        note_pruned(&notes, dual, keep, prune)) {
        if (!err.code)
            cca_no_memory(&err);
        mm_notes_done(&notes);
        free(keep);
        return mm_complain(&err);
    }
    mm_print_notes(&notes);
    mm_notes_done(&notes);
    result =
        json ? mm_json_print(mm_graph_document(input->experiments[0], dual, &kept, keep))
             : print_dot(input, keep);
    free(keep);
    return result;
}

enum { PRUNE, JSON, CONTEXTS, BY_RANK, BY_MODE, FOLD, DOT, SVG, OUTPUT };

static const struct cca_option option_table[] = {
    [PRUNE] =
        {"--prune", "P[,S]",
         "leave out methods with less than P percent of the run, inclusive; of contexts, "
         "all callees of one if they have less than P percent of its time, else those "
         "with less than S percent (P) of the mean of all its callees"},
    [JSON] = {"--json", NULL,
              "print one document, mastermind/graph/1 or mastermind/graph-contexts/1"},
    [CONTEXTS] = {"--contexts", NULL,
                  "print a table of calling contexts, paths of methods"},
    [BY_RANK] = {"--by-rank", NULL, "with --contexts: a line for each rank of a context"},
    [BY_MODE] = {"--by-mode", NULL, "with --contexts: a line for each mode of a context"},
    [FOLD] = {"--fold", NULL,
              "with --contexts: count a recursive call in the context of the outermost "
              "call of its method"},
    [DOT] = {"--dot", NULL, "with --contexts: print them for Graphviz"},
    [SVG] =
        {"--svg", NULL,
         "draw wiring and dual, or with --contexts the contexts; of a sweep its longest "
         "run, with the scaling functions of all; further arguments supply models"},
    [OUTPUT] = {"--output", "FILE", "with --svg: write FILE, not standard output", "-o"},
};

/* Read "P" or "P,S", percentages. Returns -1 to go on, else an exit code. */
static int read_shares(const struct cca_given *option, struct mm_core_options *shares)
{
    const char *text = option->given ? cca_given_value(option) : "0";
    char *end;
    double parent = strtod(text, &end), sibling = parent;
    int good = end != text;

    if (good && *end == ',') {
        const char *second = end + 1;

        sibling = strtod(second, &end);
        good = end != second;
    }
    if (!good || *end || !(parent >= 0 && parent <= 100) ||
        !(sibling >= 0 && sibling <= 100))
        return mm_refuse(MM_EXIT_MISUSE, "'%s' for %s, expected P or P,S from 0 to 100",
                         mm_safe(text), option->name);
    *shares = (struct mm_core_options){parent / 100, sibling / 100};
    return -1;
}

static int graph_contexts(const struct cca_given *options, char **argv, int count)
{
    struct mm_graph_contexts graph = {.json = options[JSON].given,
                                      .dot = options[DOT].given,
                                      .by_rank = options[BY_RANK].given,
                                      .by_mode = options[BY_MODE].given,
                                      .fold = options[FOLD].given};
    int result = read_shares(&options[PRUNE], &graph.prune);

    if (result >= 0)
        return result;
    if (graph.json && graph.dot)
        return mm_refuse(MM_EXIT_MISUSE, "expected one of --json, --dot");
    if (count < 1)
        return mm_refuse(MM_EXIT_MISUSE, "expected the directory of an experiment");
    return mm_graph_contexts(&graph, argv[0]);
}

static int graph_svg(const struct cca_given *options, char **argv, int count)
{
    const struct cca_given *prune = &options[PRUNE], *output = &options[OUTPUT];
    struct mm_svg_options svg = {
        .path = cca_given_value(output),
        .has_prune = prune->given > 0,
        .has_sibling = prune->given && strchr(prune->values[prune->given - 1], ',')};
    struct mm_graph_contexts contexts = {0};
    int result = read_shares(prune, &svg.prune);

    if (result >= 0)
        return result;
    for (int i = 0; i < SVG; i++)
        if (options[i].given && i != PRUNE && i != CONTEXTS &&
            !(i == FOLD && options[CONTEXTS].given))
            return mm_refuse(MM_EXIT_MISUSE, "found %s and --svg, expected one of them",
                             options[i].name);
    if (!options[CONTEXTS].given)
        return mm_graph_svg(&svg, argv, count);
    if (count != 1)
        return mm_refuse(MM_EXIT_MISUSE, "graph takes one experiment, found %d", count);
    contexts.svg = &svg;
    contexts.prune = svg.prune;
    contexts.fold = options[FOLD].given;
    return mm_graph_contexts(&contexts, argv[0]);
}

static int graph_verb(const struct cca_args *args)
{
    const struct cca_given *options = args->options;
    double prune = 0;
    struct mm_input input;
    int result;

    if (options[SVG].given)
        return graph_svg(options, args->words, args->count);
    if (options[OUTPUT].given)
        return mm_refuse(MM_EXIT_MISUSE, "-o needs --svg");
    if (args->count > 1)
        return mm_refuse(MM_EXIT_MISUSE, "graph takes one experiment, found %d",
                         args->count);
    if (options[CONTEXTS].given)
        return graph_contexts(options, args->words, args->count);
    for (int i = BY_RANK; i <= DOT; i++)
        if (options[i].given)
            return mm_refuse(MM_EXIT_MISUSE, "%s needs --contexts", options[i].name);
    if ((result = mm_option_number(&options[PRUNE], 0, &prune)) >= 0)
        return result;
    result = mm_input_open(&input, args->words, args->count, NULL);
    if (result < 0)
        result = run_graph(&input, prune, options[JSON].given);
    mm_input_done(&input);
    return result;
}

const struct cca_verb mm_verb_graph = {
    .name = "graph",
    .summary = "who called whom, for Graphviz or as JSON",
    .examples = "mastermind graph shock-1.mm | dot -Tsvg > dual.svg\n"
                "mastermind graph shock-1.mm --prune 1 --json\n"
                "mastermind graph shock-1.mm --contexts --prune 10,10 --by-mode\n"
                "mastermind graph sweep --svg -o shock.svg\n",
    .about = "Print who called whom, for Graphviz. A box is a method with its class, its "
             "exclusive share of the run and its inclusive time per call; an arrow has "
             "the number of calls.\n",
    CCA_OPTIONS(option_table),
    .run = graph_verb,
};
