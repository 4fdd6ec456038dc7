/* SPDX-License-Identifier: BSD-3-Clause */
/* graph_contexts.c: calling contexts of a run, as a table or as DOT for Graphviz. */
#include "mastermind/cmd/graph/graph_svg.h"

#include <string.h>

double mm_graph_share(const struct mm_graph_contexts *g, double ns)
{
    return g->contexts->total_ns > 0 ? ns / (double)g->contexts->total_ns : 0;
}

/* Text of the rule that cut a context: "together below 10 % of the caller", or "below 10
 * % of the siblings' mean". Valid until the next call. */
static const char *mm_graph_rule(const struct mm_graph_contexts *g,
                                 enum mm_core_rule rule)
{
    static char text[80];

    if (rule == MM_CORE_TOGETHER)
        snprintf(text, sizeof text, "together below %.6g %% of the caller",
                 100 * g->prune.parent);
    else
        snprintf(text, sizeof text, "below %.6g %% of the siblings' mean",
                 100 * g->prune.sibling);
    return text;
}

/* --- Text ----------------------------------------------------------------- */

enum { COLUMNS = 5, INDENTED = 20 /* deeper contexts show their depth as a number */ };

static void indent(size_t depth, char *text, size_t size)
{
    if (depth <= INDENTED)
        snprintf(text, size, "%*s", (int)(2 * depth), "");
    else
        snprintf(text, size, "%*s(%zu) ", 2 * INDENTED, "", depth);
}

static void set_cost(const struct mm_graph_contexts *g, char cells[][MM_CELL],
                     double total_ns)
{
    snprintf(cells[0], MM_CELL, "%.1f", 100 * mm_graph_share(g, total_ns));
    mm_cell_set(cells[1], mm_amount(total_ns / 1e6));
}

/* Print a line with the calls of a context on one rank, in one mode, or both. */
static void cell_row(const struct mm_graph_contexts *g, struct mm_table *table,
                     const struct mm_calling_context *c,
                     const struct mm_context_cell *cell)
{
    char cells[COLUMNS][MM_CELL] = {"", ""}, name[256], modes[128] = "", rank[32] = "";
    const union monitor_value *values =
        c->method ? mm_modes_of(&g->contexts->modes[c->vertex], cell->mode) : NULL;

    if (g->by_mode && values)
        mm_mode_print(c->method, values, modes, sizeof modes);
    else if (g->by_mode && cell->mode == MM_MODE_OTHER)
        snprintf(modes, sizeof modes, "other modes");
    if (g->by_rank)
        snprintf(rank, sizeof rank, "rank %d%s", cell->rank, *modes ? ", " : "");
    if (!*rank && !*modes)
        return;
    mm_cell_set(cells[2], mm_amount((double)cell->exclusive_ns / 1e6));
    mm_cell_set(cells[3], mm_thousands(cell->calls));
    indent(c->depth, name, sizeof name);
    snprintf(name + strlen(name), sizeof name - strlen(name), "  | %s%s", rank, modes);
    mm_table_row(table, cells, name);
}

static int same_line(const struct mm_graph_contexts *g, const struct mm_context_cell *a,
                     const struct mm_context_cell *b)
{
    return (!g->by_rank || a->rank == b->rank) && (!g->by_mode || a->mode == b->mode);
}

/* Print lines of a context by rank, by mode or by both, each with the sum over the
 * other. */
static void cell_rows(const struct mm_graph_contexts *g, struct mm_table *table,
                      const struct mm_calling_context *c)
{
    for (size_t i = 0; i < c->cell_count; i++) {
        struct mm_context_cell sum = c->cells[i];
        size_t k = 0;

        while (k < i && !same_line(g, &c->cells[k], &sum))
            k++;
        if (k < i)
            continue; /* an earlier line has the sum that includes this cell */
        for (k = i + 1; k < c->cell_count; k++) {
            if (!same_line(g, &c->cells[k], &sum))
                continue;
            sum.calls += c->cells[k].calls;
            sum.exclusive_ns += c->cells[k].exclusive_ns;
        }
        cell_row(g, table, c, &sum);
    }
}

static void context_row(const struct mm_graph_contexts *g, struct mm_table *table,
                        const struct mm_calling_context *c)
{
    const struct mm_calling_context *parent =
        c->parent == MM_NO_CONTEXT ? NULL : &g->contexts->items[c->parent];
    char cells[COLUMNS][MM_CELL] = {""}, name[256];

    set_cost(g, cells, (double)c->total_ns);
    if (c->method) {
        snprintf(cells[2], MM_CELL, "%s%s", c->open ? ">" : "",
                 mm_amount((double)c->exclusive_ns / 1e6));
        mm_cell_set(cells[3], mm_thousands(c->calls));
    }
    if (c->method && parent && parent->calls)
        mm_cell_set(cells[4], mm_amount((double)c->calls / (double)parent->calls));
    indent(c->depth, name, sizeof name);
    snprintf(name + strlen(name), sizeof name - strlen(name), "%s", c->name);
    mm_table_row(table, cells, name);
    if (g->by_rank || g->by_mode)
        cell_rows(g, table, c);
}

/* Print a line with the sum of the contexts that were cut below a context. */
static void cut_row(const struct mm_graph_contexts *g, struct mm_table *table,
                    const struct mm_cut *cut)
{
    char cells[COLUMNS][MM_CELL] = {""}, name[256];

    set_cost(g, cells, (double)cut->total_ns);
    mm_cell_set(cells[3], mm_thousands(cut->calls));
    indent(g->contexts->items[cut->parent].depth + 1, name, sizeof name);
    snprintf(name + strlen(name), sizeof name - strlen(name), "... %s, %s",
             mm_counted(cut->contexts, "context"), mm_graph_rule(g, cut->rule));
    mm_table_row(table, cells, name);
}

static void all_rows(const void *context, struct mm_table *table)
{
    const struct mm_graph_contexts *g = context;
    const struct mm_contexts *contexts = g->contexts;
    char heads[COLUMNS][MM_CELL] = {"%time", "incl ms", "excl ms", "calls", "per call"};
    const struct mm_cut *cut = g->core->cuts, *end = cut + g->core->cut_count;

    mm_table_row(table, heads, "context");
    for (size_t i = 0; i < contexts->count; i++) {
        if (g->core->rules[i])
            continue;
        context_row(g, table, &contexts->items[i]);
        for (; cut < end && cut->parent == i; cut++)
            cut_row(g, table, cut);
    }
}

size_t mm_graph_contexts_called(const struct mm_contexts *c)
{
    size_t count = 0;

    for (size_t i = 0; i < c->count; i++)
        count += c->items[i].calls > 0;
    return count;
}

static int mm_graph_contexts_text(const struct mm_graph_contexts *g)
{
    const struct mm_contexts *c = g->contexts;
    const struct mm_core *core = g->core;

    mm_table_print(COLUMNS, all_rows, g);
    printf("%s in %s%s\n", mm_counted(c->calls, "call"),
           mm_counted(mm_graph_contexts_called(c), "context"),
           c->folded ? ", recursion folded" : "");
    if (core->cut_count) {
        printf("cut: %s, %s, %s: %s of the time", mm_counted(core->contexts, "context"),
               mm_counted(core->calls, "call"), mm_time((double)core->total_ns),
               mm_percent(mm_graph_share(g, (double)core->total_ns)));
        if (c->ranks > 1)
            printf(", at most %s of a rank's (rank %d)", mm_percent(core->rank_share),
                   core->rank);
        printf("; the rules allow %s\n", mm_percent(mm_graph_share(g, core->limit_ns)));
    }
    return mm_finish_output(MM_EXIT_DONE);
}

/* --- Graphviz --------------------------------------------------------------- */

void mm_graph_dot_string(const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            putchar('\\');
        putchar(*text);
    }
}

static void dot_context(const struct mm_graph_contexts *g, size_t at)
{
    const struct mm_calling_context *c = &g->contexts->items[at];
    double share = mm_graph_share(g, (double)c->exclusive_ns);
    double dark = share > 1 ? 1 : share;

    if (!c->method) {
        printf("  c%zu [label=\"%s\", shape=plain, fontcolor=\"#666666\"];\n", at,
               c->name);
        return;
    }
    printf("  c%zu [label=\"", at);
    mm_graph_dot_string(mm_safe(c->name));
    printf("\\n");
    mm_graph_dot_string(mm_safe(c->method->class_name));
    printf("\\n%.1f %%   %s/call%s\", penwidth=%.2f, fillcolor=\"0.58 %.3f %.2f\"];\n",
           share * 100,
           mm_time(c->calls ? (double)c->exclusive_ns / (double)c->calls : 0),
           c->open ? "\\nnot finished" : "", 1 + 5 * dark, 0.05 + 0.5 * dark,
           0.97 - 0.32 * dark);
}

static int mm_graph_contexts_dot(const struct mm_graph_contexts *g)
{
    const struct mm_contexts *contexts = g->contexts;

    printf("digraph \"");
    mm_graph_dot_string(mm_safe(g->experiment->name));
    puts("\" {\n  rankdir=TB;\n  node [shape=box, style=\"rounded,filled\", "
         "fontname=\"Helvetica\", fontsize=11];\n  edge [fontname=\"Helvetica\", "
         "fontsize=10, color=\"#444444\"];");
    for (size_t i = 0; i < contexts->count; i++) {
        const struct mm_calling_context *c = &contexts->items[i];

        if (g->core->rules[i])
            continue;
        dot_context(g, i);
        if (c->parent != MM_NO_CONTEXT)
            printf("  c%zu -> c%zu [label=\" %s\", penwidth=%.2f];\n", c->parent, i,
                   c->calls ? mm_thousands(c->calls) : "",
                   1 + 4 * mm_graph_share(g, (double)c->total_ns));
    }
    for (size_t i = 0; i < g->core->cut_count; i++) {
        const struct mm_cut *cut = &g->core->cuts[i];

        printf("  p%zu [label=\"%s\\n%s\", fontcolor=\"#666666\", "
               "fillcolor=\"#eeeeee\", tooltip=\"%s\"];\n",
               i, mm_counted(cut->contexts, "context"), mm_time((double)cut->total_ns),
               mm_graph_rule(g, cut->rule));
        printf("  c%zu -> p%zu [label=\" %s\", style=dashed];\n", cut->parent, i,
               mm_thousands(cut->calls));
    }
    puts("}");
    return mm_finish_output(MM_EXIT_DONE);
}

/* --- The verb --------------------------------------------------------------- */

static int add_notes(const struct mm_graph_contexts *g, struct mm_notes *notes)
{
    const struct mm_contexts *c = g->contexts;
    int code = mm_kept_note(notes, "", &g->kept);

    if (!code)
        code = mm_kept_note_end(notes, "", &g->kept);
    if (!code && c->overflow)
        code = mm_notes_add(notes, "too many contexts: recursion is folded");
    if (!code && c->recursive)
        code = mm_notes_add(notes,
                            "%s of recursion in aggregates: the recorder folded "
                            "their contexts",
                            mm_counted(c->recursive, "call"));
    if (!code && c->uncertain)
        code = mm_notes_add(notes, "longjmp may have skipped the caller of %s",
                            mm_counted(c->uncertain, "call"));
    if (!code && c->begun)
        code = mm_notes_add(notes, "%s began a thread: no row shows which call made it",
                            mm_counted(c->begun, "call"));
    return code;
}

static int print_contexts(struct mm_graph_contexts *g, const struct mm_dual *dual,
                          struct cca_error *err)
{
    struct mm_core core;
    struct mm_notes notes = {0};
    int code = g->svg ? mm_svg_contexts_core(&core, g)
                      : mm_core_find(&core, g->contexts, &g->prune);
    int result = MM_EXIT_DONE;

    g->core = &core;
    if (code)
        cca_no_memory(err);
    if (!code)
        code = mm_kept_read(&g->kept, g->experiment, dual, err);
    if (!code && (code = add_notes(g, &notes)))
        cca_no_memory(err);
    if (!code) {
        mm_print_notes(&notes);
        result = g->svg    ? mm_svg_contexts(g)
                 : g->json ? mm_graph_contexts_json(g)
                 : g->dot  ? mm_graph_contexts_dot(g)
                           : mm_graph_contexts_text(g);
    }
    mm_notes_done(&notes);
    mm_core_done(&core);
    return code ? mm_complain(err) : result;
}

int mm_graph_contexts(struct mm_graph_contexts *g, const char *path)
{
    struct mm_contexts_options options = {.fold = g->fold};
    struct cca_error err = {0};
    struct mm_experiment *experiment = mm_experiment_open(path, &err);
    struct mm_contexts *contexts = NULL;
    struct mm_dual *dual = NULL;
    struct mm_row_source source;
    int result;

    if (!experiment)
        return mm_complain(&err);
    source = mm_row_source_of(experiment);
    if (mm_contexts_walk(&source, &options, &dual, &contexts, &err)) {
        result = mm_complain(&err);
    } else {
        g->experiment = experiment;
        g->contexts = contexts;
        result = print_contexts(g, dual, &err);
    }
    mm_contexts_free(contexts);
    mm_dual_free(dual);
    mm_experiment_free(experiment);
    return result;
}
