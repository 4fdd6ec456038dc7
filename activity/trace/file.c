/* SPDX-License-Identifier: BSD-3-Clause */
/* file.c: files that are complete or do not exist; escaping for SVG and JSON. */
#include "activity/trace/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/svg.h"

const char *const act_colors[ACT_COLORS] = {"#4477aa", "#ee6677", "#228833", "#ccbb44",
                                            "#66ccee", "#aa3377", "#997700", "#004488",
                                            "#994455", "#117733", "#6699cc", "#ee99aa"};

/* --- Files. --- */

int act_file_begin(struct act_file *file, const char *path, struct cca_error *err)
{
    *file = (struct act_file){.path = strdup(path)};
    if (!file->path || asprintf(&file->fresh, "%s.new", path) < 0) {
        free(file->path);
        *file = (struct act_file){0};
        return cca_no_memory(err);
    }
    file->out = fopen(file->fresh, "we");
    if (file->out)
        return 0;
    cca_error_set(err, -EIO, "%s: %s", path, strerror(errno));
    free(file->path);
    free(file->fresh);
    *file = (struct act_file){0};
    return -EIO;
}

int act_file_end(struct act_file *file, struct cca_error *err)
{
    int bad = fflush(file->out) != 0 || ferror(file->out);

    bad |= fclose(file->out) != 0;
    file->out = NULL;
    if (!bad && rename(file->fresh, file->path) == 0) {
        free(file->fresh);
        file->fresh = NULL;
        act_file_drop(file);
        return 0;
    }
    cca_error_set(err, -EIO, "%s: %s", file->path, strerror(errno ? errno : EIO));
    act_file_drop(file);
    return -EIO;
}

void act_file_drop(struct act_file *file)
{
    if (file->out)
        fclose(file->out);
    if (file->fresh)
        unlink(file->fresh);
    free(file->fresh);
    free(file->path);
    *file = (struct act_file){0};
}

/* --- Escaping. --- */

void act_put_json(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else if ((unsigned char)*text < 0x20)
            fprintf(out, "\\u%04x", *text);
        else
            fputc(*text, out);
}

/* --- SVG. --- */

void act_svg_begin(FILE *out, double width, double height, const char *title,
                   const char *subtitle)
{
    cca_svg_begin(out, width, height);
    fputs("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n", out);
    cca_svg_text(out, 16, 24, " font-size=\"15\" font-weight=\"bold\"", title, SIZE_MAX);
    cca_svg_text(out, 16, 42, " fill=\"#555555\"", subtitle, SIZE_MAX);
}

void act_svg_text(FILE *out, double x, double y, const char *anchor, const char *text)
{
    char more[40];

    snprintf(more, sizeof more, " text-anchor=\"%s\"", anchor);
    cca_svg_text(out, x, y, more, text, SIZE_MAX);
}

void act_svg_box(FILE *out, double x, double y, double width, double height,
                 const char *color, const char *hover)
{
    char more[40];

    snprintf(more, sizeof more, " fill=\"%s\"", color);
    cca_svg_rect(out, x, y, width, height, more, hover);
}

/* --- Names. --- */

void act_picture_title(const struct act_model *model, const struct act_config *config,
                       double makespan_s, char *text, size_t size)
{
    char time[32], threads[32] = "";

    if (config->threads)
        snprintf(threads, sizeof threads, "T%" PRId64, config->threads);
    snprintf(text, size, "%.60s on N%" PRId64 "P%" PRId64 "%s: %s", model->name,
             config->nodes, config->processes, threads,
             act_time_text(makespan_s, time, sizeof time));
}

const char *act_element_label(const struct act_element *e, char *text, size_t size)
{
    if (e->name)
        snprintf(text, size, "%.40s", e->name);
    else
        snprintf(text, size, "%s, line %d", act_kind_name(e->kind), e->place.line);
    return text;
}

static double time_of(const struct act_result *result, int element, int at_work)
{
    const struct act_element_sum *sum = &result->elements[element];

    return sum->total_s - (at_work ? sum->wait_s : 0);
}

int act_elements_by_time(const struct act_model *model, const struct act_result *result,
                         int at_work, int *numbers, int most)
{
    int count = 0;

    for (int i = 0; i < model->element_count; i++) {
        enum act_kind kind = model->elements[i]->kind;
        int at;

        if (!result->elements[i].calls || kind == ACT_CALL || kind == ACT_PARALLEL ||
            kind == ACT_FORK)
            continue;
        at = count < most ? count++ : most;
        while (at > 0 &&
               time_of(result, numbers[at - 1], at_work) < time_of(result, i, at_work)) {
            if (at < most)
                numbers[at] = numbers[at - 1];
            at--;
        }
        if (at < most)
            numbers[at] = i;
    }
    return count;
}

const char *act_time_text(double seconds, char *text, size_t size)
{
    if (seconds == 0)
        snprintf(text, size, "0 s");
    else if (seconds < 1e-6)
        snprintf(text, size, "%.3g ns", seconds * 1e9);
    else if (seconds < 1e-3)
        snprintf(text, size, "%.3g us", seconds * 1e6);
    else if (seconds < 1)
        snprintf(text, size, "%.3g ms", seconds * 1e3);
    else
        snprintf(text, size, seconds < 1e4 ? "%.4g s" : "%.0f s", seconds);
    return text;
}
