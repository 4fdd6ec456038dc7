/* SPDX-License-Identifier: BSD-3-Clause */
/* text.c: text output of activity run. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "activity/cmd/run/run_verb.h"

static int width_of(const char *text)
{
    return (int)strlen(text);
}

/* Print a time in the unit (s, ms, us ..) that suits it. */
static void say_time(double seconds, char *text, size_t size)
{
    if (seconds < 1e-3)
        snprintf(text, size, "%.1f us", seconds * 1e6);
    else if (seconds < 1)
        snprintf(text, size, "%.1f ms", seconds * 1e3);
    else
        snprintf(text, size, "%.2f s", seconds);
}

/* Print the interval of a total, " (194.1 .. 195.3)"; "" without cost models; " (+- ?)"
 * if the error of one of them is unknown. */
static void say_interval(const struct run_found *found, char *text, size_t size)
{
    if (isfinite(found->low_s))
        snprintf(text, size, " (%.5g .. %.5g)", found->low_s, found->high_s);
    else
        snprintf(text, size, "%s", found->unsure ? " (+- ?)" : "");
}

static void print_lines(const struct run_asked *asked, const struct act_model *model,
                        const struct run_found *found)
{
    char config[64], total[64], interval[64], operations[32], evaluated[32];
    int config_width = 0, total_width = 0, operations_width = 0;

    for (int i = 0; i < asked->config_count; i++) {
        run_config_text(&found[i].config, config, sizeof config);
        snprintf(total, sizeof total, "%.12g", found[i].result.makespan_s);
        snprintf(operations, sizeof operations, "%" PRId64, found[i].result.operations);
        if (width_of(config) > config_width)
            config_width = width_of(config);
        if (width_of(total) > total_width)
            total_width = width_of(total);
        if (width_of(operations) > operations_width)
            operations_width = width_of(operations);
    }
    for (int i = 0; i < asked->config_count; i++) {
        run_config_text(&found[i].config, config, sizeof config);
        snprintf(total, sizeof total, "%.12g", found[i].result.makespan_s);
        say_time(found[i].evaluated_s, evaluated, sizeof evaluated);
        say_interval(&found[i], interval, sizeof interval);
        printf("%s   %-*s   %*s s%s   %*" PRId64 " operations   evaluated in %s%s\n",
               model->name, config_width, config, total_width, total, interval,
               operations_width, found[i].result.operations, evaluated,
               found[i].result.shared ? "   cores shared" : "");
    }
}

static int has_sums(const struct act_element *e, const struct act_element_sum *sum)
{
    return sum->calls > 0 && e->kind != ACT_CALL;
}

static void print_elements(const struct act_model *model, const struct run_found *found)
{
    double all = 0;
    int width = 7;

    for (int i = 0; i < model->element_count; i++) {
        const struct act_element *e = model->elements[i];
        int own = e->kind != ACT_PARALLEL && e->kind != ACT_FORK;

        if (!has_sums(e, &found->result.elements[i]))
            continue;
        if (e->name && width_of(e->name) > width)
            width = width_of(e->name);
        all += own ? found->result.elements[i].total_s : 0;
    }
    printf("\n%-*s  %-9s  %5s  %12s  %14s  %14s  %6s\n", width, "element", "kind", "line",
           "calls", "total s", "waiting s", "share");
    for (int i = 0; i < model->element_count; i++) {
        const struct act_element *e = model->elements[i];
        const struct act_element_sum *sum = &found->result.elements[i];
        char share[16] = "";

        if (!has_sums(e, sum))
            continue;
        if (e->kind != ACT_PARALLEL && e->kind != ACT_FORK)
            snprintf(share, sizeof share, "%.1f %%",
                     all > 0 ? 100 * sum->total_s / all : 0);
        printf("%-*s  %-9s  %5d  %12" PRId64 "  %14.6g  %14.6g  %6s\n", width,
               e->name ? e->name : "", act_kind_name(e->kind), e->place.line, sum->calls,
               sum->total_s, sum->wait_s, share);
    }
}

int run_print_text(const struct run_asked *asked, const struct act_model *model,
                   const struct run_found *found)
{
    print_lines(asked, model, found);
    for (int i = 0; i < asked->config_count; i++)
        if (asked->elements == 1 || (asked->elements < 0 && asked->config_count == 1))
            print_elements(model, &found[i]);
    for (int i = 0; i < asked->config_count; i++)
        if (found[i].unsure)
            fprintf(stderr, "activity: note: no interval: %s\n", found[i].unsure);
    return act_finish_output(ACT_EXIT_DONE);
}
