/* SPDX-License-Identifier: BSD-3-Clause */
/* graph_svg.c: draw a run as an SVG document. */
#include "mastermind/cmd/graph/graph_svg.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* --- The run ----------------------------------------------------------------- */

static int same_values(const struct mm_run_values *a, const struct mm_run_values *b)
{
    size_t i = 0;

    if (a->count != b->count)
        return 0;
    while (i < a->count && strcmp(a->items[i].name, b->items[i].name) == 0 &&
           strcmp(a->items[i].text, b->items[i].text) == 0)
        i++;
    return i == a->count;
}

static int same_run(const struct mm_run *a, const struct mm_run *b)
{
    return a->ranks == b->ranks && same_values(&a->variables, &b->variables) &&
           same_values(&a->set, &b->set) && same_values(&a->classes, &b->classes);
}

static int64_t time_of(const struct mm_input *input, size_t run)
{
    return input->profiles[run]->dual->total_ns;
}

/* True if no run with the same parameters was shorter; the shortest was disturbed
 * least. */
static int is_shortest(const struct mm_input *input, size_t count, size_t run)
{
    size_t i = 0;

    while (i < count &&
           (time_of(input, i) >= time_of(input, run) ||
            !same_run(&input->experiments[i]->run, &input->experiments[run]->run)))
        i++;
    return i == count;
}

/* Index of the run to draw: the shortest of each group of runs with equal parameters, and
 * of these the longest. Only the first `count` runs can be drawn, the others supply
 * models. */
static size_t choose_base(const struct mm_input *input, size_t count)
{
    size_t base = count;

    for (size_t i = 0; i < count; i++)
        if (is_shortest(input, count, i) &&
            (base == count || time_of(input, i) > time_of(input, base)))
            base = i;
    return base;
}

/* Count the experiments of the first path: more than one if it is a sweep. Returns -1 to
 * go on, else an exit code. */
static int count_runs(char *const *paths, size_t *count)
{
    struct mm_paths first;
    int result = mm_paths_expand(&first, paths, 1);

    *count = first.count;
    mm_paths_done(&first);
    return result;
}

/* --- Models ------------------------------------------------------------------ */

/* Predict the calls of each vertex by its models. Calls without a model count as
 * measured, so that the shares of the others stay comparable. */
static int find_modelled(struct mm_svg_run *run, const struct mm_library *library)
{
    run->modelled = calloc(run->dual->vertex_count + 1, sizeof *run->modelled);
    if (!run->modelled)
        return -ENOMEM;
    for (size_t i = 0; i < run->profile->source.method_count; i++) {
        struct mm_modelled *m = &run->modelled[i];

        if (!run->dual->vertices[i].calls)
            continue;
        if (mm_modelled_find(m, library, run->profile, i))
            return -ENOMEM;
        run->predicted_ns += m->set && !(m->unknown_calls > 0)
                                 ? m->cost_ns
                                 : (double)run->dual->vertices[i].exclusive_ns;
    }
    return 0;
}

/* --- The document ------------------------------------------------------------ */

static int print_subtitle(const struct mm_svg_run *run, size_t runs, char *text,
                          size_t size)
{
    FILE *to = fmemopen(text, size, "w");

    if (!to)
        return -ENOMEM;
    fprintf(to, "measured %s, by the models %s", mm_time((double)run->dual->total_ns),
            mm_time(run->predicted_ns));
    if (runs > 1) {
        fprintf(to, "; of %s, which supply counts and scaling functions, the longest: ",
                mm_counted(runs, "run"));
        mm_svg_laws_point(run->laws, to);
    }
    if (!run->experiment->finished)
        fputs("; the run did not end in order", to);
    fputc('\0', to);
    fclose(to); /* longer text is cut off */
    text[size - 1] = '\0';
    return 0;
}

static int draw_run(const struct mm_svg_options *options, const struct mm_svg_run *run,
                    size_t runs)
{
    static const char *const legend[] = {
        "A bar of full length is 100 % of the run's exclusive time. Shares by the models "
        "are of their sum; methods without a model count there as measured.",
        "The number at an arrow is how many calls there were; the thicker the arrow, the "
        "more time passed inside these calls. Hover for details."};
    struct mm_picture pictures[2] = {{0}};
    char subtitle[400], title[300];
    struct mm_picture_sheet sheet = {.title = title,
                                     .subtitle = subtitle,
                                     .legend = legend,
                                     .legend_count = 2,
                                     .bars = 2};
    size_t count = 0;
    int result = 0;

    snprintf(title, sizeof title, "%s", mm_safe(run->experiment->name));
    result = print_subtitle(run, runs, subtitle, sizeof subtitle);
    if (!result && run->experiment->wiring && run->experiment->wiring->instance_count)
        result = mm_svg_wiring(&pictures[count++], run);
    if (!result)
        result = mm_svg_dual(&pictures[count++], run);
    result = result ? mm_no_memory() : mm_svg_output(options, &sheet, pictures, count);
    while (count)
        mm_picture_done(&pictures[--count]);
    return result;
}

int mm_svg_output(const struct mm_svg_options *options,
                  const struct mm_picture_sheet *sheet, struct mm_picture *pictures,
                  size_t count)
{
    struct cca_error err = {0};
    FILE *to = stdout;
    int failed;

    signal(SIGCHLD, SIG_DFL); /* an ignored SIGCHLD would discard the status of the
                               * child */
    for (size_t i = 0; i < count; i++)
        if (mm_picture_place(&pictures[i], &err))
            return mm_complain(&err);
    if (count && pictures[0].without_dot)
        fputs("mastermind: note: found no program 'dot': arrows may cross boxes; the "
              "package graphviz has it\n",
              stderr);
    if (options->path && !(to = fopen(options->path, "we")))
        return mm_refuse(MM_EXIT_SYSTEM, "cannot write '%s': %s", mm_safe(options->path),
                         strerror(errno));
    mm_picture_write(to, sheet, pictures, count);
    if (!options->path)
        return mm_finish_output(MM_EXIT_DONE);
    failed = ferror(to);
    if (fclose(to) || failed)
        return mm_refuse(MM_EXIT_SYSTEM, "cannot write '%s': %s", mm_safe(options->path),
                         strerror(errno));
    return MM_EXIT_DONE;
}

/* --- The verb ---------------------------------------------------------------- */

/* Print the notes that the other outputs of the verb also print. */
static int print_notes(const struct mm_svg_run *run, struct cca_error *err)
{
    struct mm_notes notes = {0};
    struct mm_kept kept;
    char line[400];
    int result = mm_kept_read(&kept, run->experiment, run->dual, err);

    mm_svg_core_print(run->core, run->dual, line, sizeof line);
    if (!result &&
        (mm_kept_note(&notes, "", &kept) || mm_kept_note_end(&notes, "", &kept) ||
         (run->core->cut && mm_notes_add(&notes, "%s", line))))
        result = cca_no_memory(err);
    if (!result)
        mm_print_notes(&notes);
    mm_notes_done(&notes);
    return result;
}

static int draw_base(const struct mm_svg_options *options, const struct mm_input *input,
                     size_t base, size_t runs)
{
    const struct mm_profile *profile = input->profiles[base];
    struct mm_svg_core core = {0};
    struct mm_svg_run run = {.experiment = input->experiments[base],
                             .profile = profile,
                             .dual = profile->dual,
                             .core = &core};
    struct cca_error err = {0};
    struct mm_library *library = NULL;
    int result =
        mm_svg_core_find(&core, options, input->experiments[base], profile->dual, &err);

    if (!result)
        result = print_notes(&run, &err);
    if (!result && !(library = mm_input_library(input, NULL, &err)))
        result = err.code;
    if (!result && find_modelled(&run, library))
        result = cca_no_memory(&err);
    if (!result && runs > 1 && !(run.laws = mm_svg_laws_new(input, base, &err)))
        result = err.code;
    result = result ? mm_complain(&err) : draw_run(options, &run, runs);
    mm_svg_laws_free(run.laws);
    free(run.modelled);
    mm_library_free(library);
    mm_svg_core_done(&core);
    return result;
}

int mm_graph_svg(const struct mm_svg_options *options, char *const *paths, int count)
{
    struct mm_input input = {0};
    size_t runs = 0;
    int result;

    if (count < 1)
        return mm_refuse(MM_EXIT_MISUSE, "expected the directory of an experiment");
    result = count_runs(paths, &runs);
    if (result < 0)
        result = mm_input_open_models(&input, paths, count, NULL, NULL, 0);
    if (result < 0) {
        runs =
            runs < input.count ? runs : input.count; /* a run given twice counts once */
        result = draw_base(options, &input, choose_base(&input, runs), runs);
    }
    mm_input_done(&input);
    return result;
}
