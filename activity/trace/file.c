/* SPDX-License-Identifier: BSD-3-Clause */
/* file.c: files that are complete or do not exist; escaping for SVG and JSON. */
#include "activity/trace/file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

void act_put_xml(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (*text == '"')
            fputs("&quot;", out);
        else
            fputc(*text, out);
}

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
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, sans-serif\" "
            "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" "
            "fill=\"white\"/>\n<text x=\"16\" y=\"24\" font-size=\"15\" "
            "font-weight=\"bold\">",
            width, height, width, height);
    act_put_xml(out, title);
    fputs("</text>\n<text x=\"16\" y=\"42\" fill=\"#555555\">", out);
    act_put_xml(out, subtitle);
    fputs("</text>\n", out);
}

void act_svg_end(FILE *out)
{
    fputs("</svg>\n", out);
}

void act_svg_text(FILE *out, double x, double y, const char *anchor, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    act_put_xml(out, text);
    fputs("</text>\n", out);
}

void act_svg_box(FILE *out, double x, double y, double width, double height,
                 const char *color, const char *hover)
{
    fprintf(out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"",
            x, y, width, height, color);
    if (!hover) {
        fputs("/>\n", out);
        return;
    }
    fputs("><title>", out);
    act_put_xml(out, hover);
    fputs("</title></rect>\n", out);
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
