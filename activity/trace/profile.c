/* SPDX-License-Identifier: BSD-3-Clause */
/* profile.c: time of elements over all processes, as bars and as a table. */
#include <inttypes.h>

#include "activity/trace/file.h"
#include "activity/trace/picture.h"

enum { MOST = 40, ROW = 22, TOP = 70, NAMES = 180, BARS = 520 };

static double whole(const struct act_picture *p, const int *numbers, int count)
{
    double sum = 0;

    for (int i = 0; i < count; i++)
        sum += p->result->elements[numbers[i]].total_s;
    return sum;
}

static void left_out(const struct act_picture *p, int count, char *text, size_t size)
{
    int all = 0;

    for (int i = 0; i < p->model->element_count; i++) {
        enum act_kind kind = p->model->elements[i]->kind;

        all += p->result->elements[i].calls > 0 && kind != ACT_CALL &&
               kind != ACT_PARALLEL && kind != ACT_FORK;
    }
    if (all > count)
        snprintf(text, size, ", the %d largest of %d elements", count, all);
    else
        *text = '\0';
}

static void draw_bar(FILE *out, const struct act_picture *p, int number, double y,
                     double scale, double all)
{
    const struct act_element_sum *sum = &p->result->elements[number];
    double busy = sum->total_s - sum->wait_s;
    char label[80], time[32], waits[32], text[200];

    act_element_label(p->model->elements[number], label, sizeof label);
    act_svg_text(out, NAMES - 8, y + 14, "end", label);
    act_time_text(busy, time, sizeof time);
    act_time_text(sum->wait_s, waits, sizeof waits);
    snprintf(text, sizeof text, "%s, line %d: %" PRId64 " calls, %s at work, %s waiting",
             label, p->model->elements[number]->place.line, sum->calls, time, waits);
    act_svg_box(out, NAMES, y + 2, busy * scale, ROW - 6, act_colors[0], text);
    act_svg_box(out, NAMES + busy * scale, y + 2, sum->wait_s * scale, ROW - 6,
                ACT_COLOR_WAIT, text);
    snprintf(text, sizeof text, "%s, %.1f %%",
             act_time_text(sum->total_s, time, sizeof time),
             all > 0 ? 100 * sum->total_s / all : 0);
    act_svg_text(out, NAMES + sum->total_s * scale + 6, y + 14, "start", text);
}

int act_profile_write(const struct act_picture *p, const char *path,
                      struct cca_error *err)
{
    int numbers[MOST];
    int count = act_elements_by_time(p->model, p->result, 0, numbers, MOST);
    double all = whole(p, numbers, count), scale;
    char title[200], more[80], subtitle[240];
    struct act_file file;

    if (act_file_begin(&file, path, err))
        return err->code;
    scale = count && p->result->elements[numbers[0]].total_s > 0
                ? BARS / p->result->elements[numbers[0]].total_s
                : 0;
    act_picture_title(p->model, &p->config, p->result->makespan_s, title, sizeof title);
    left_out(p, count, more, sizeof more);
    snprintf(subtitle, sizeof subtitle,
             "time of elements, summed over all processes: at work, and waiting%s", more);
    act_svg_begin(file.out, NAMES + BARS + 150, TOP + count * ROW + 16, title, subtitle);
    act_svg_box(file.out, NAMES, 52, 12, 10, act_colors[0], NULL);
    act_svg_text(file.out, NAMES + 17, 61, "start", "at work");
    act_svg_box(file.out, NAMES + 80, 52, 12, 10, ACT_COLOR_WAIT, NULL);
    act_svg_text(file.out, NAMES + 97, 61, "start", "waiting, or sharing a core");
    for (int i = 0; i < count; i++)
        draw_bar(file.out, p, numbers[i], TOP + i * ROW, scale, all);
    fputs("</svg>\n", file.out);
    return act_file_end(&file, err);
}

static const struct {
    const char *name, *anchor;
    double x;
} columns[] = {{"element", "start", 16}, {"kind", "start", 170},  {"line", "end", 290},
               {"calls", "end", 380},    {"total", "end", 470},   {"waiting", "end", 560},
               {"least", "end", 650},    {"largest", "end", 740}, {"share", "end", 810}};
enum { COLUMNS = sizeof columns / sizeof *columns };

static void draw_row(FILE *out, const struct act_picture *p, int number, double y,
                     double all)
{
    const struct act_element_sum *sum = &p->result->elements[number];
    const struct act_element *e = p->model->elements[number];
    char texts[COLUMNS][80];

    act_element_label(e, texts[0], sizeof texts[0]);
    snprintf(texts[1], sizeof texts[1], "%s", act_kind_name(e->kind));
    snprintf(texts[2], sizeof texts[2], "%d", e->place.line);
    snprintf(texts[3], sizeof texts[3], "%" PRId64, sum->calls);
    act_time_text(sum->total_s, texts[4], sizeof texts[4]);
    act_time_text(sum->wait_s, texts[5], sizeof texts[5]);
    act_time_text(sum->least_s, texts[6], sizeof texts[6]);
    act_time_text(sum->largest_s, texts[7], sizeof texts[7]);
    snprintf(texts[8], sizeof texts[8], "%.1f %%",
             all > 0 ? 100 * sum->total_s / all : 0);
    for (int i = 0; i < COLUMNS; i++)
        act_svg_text(out, columns[i].x, y + 15, columns[i].anchor, texts[i]);
}

int act_table_write(const struct act_picture *p, const char *path, struct cca_error *err)
{
    int numbers[MOST];
    int count = act_elements_by_time(p->model, p->result, 0, numbers, MOST);
    double all = whole(p, numbers, count);
    char title[200], more[80], subtitle[240];
    struct act_file file;

    if (act_file_begin(&file, path, err))
        return err->code;
    act_picture_title(p->model, &p->config, p->result->makespan_s, title, sizeof title);
    left_out(p, count, more, sizeof more);
    snprintf(
        subtitle, sizeof subtitle,
        "elements over all processes, by their time%s; least and largest of one call",
        more);
    act_svg_begin(file.out, 830, TOP + count * ROW + 16, title, subtitle);
    for (int i = 0; i < COLUMNS; i++)
        act_svg_text(file.out, columns[i].x, TOP - 8, columns[i].anchor, columns[i].name);
    for (int i = 0; i < count; i++) {
        if (i % 2 == 0)
            act_svg_box(file.out, 8, TOP + i * ROW, 814, ROW, "#f3f3f3", NULL);
        draw_row(file.out, p, numbers[i], TOP + i * ROW, all);
    }
    fputs("</svg>\n", file.out);
    return act_file_end(&file, err);
}
