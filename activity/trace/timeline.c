/* SPDX-License-Identifier: BSD-3-Clause */
/* timeline.c: timeline of all processes. Time is cut into columns and processes into
 * lanes; each cell has the time of each of the largest elements, and of waiting. So a
 * picture is as large for 10^6 processes as for 64. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "activity/trace/file.h"
#include "activity/trace/picture.h"
#include "common/svg.h"

enum {
    BINS = 800,
    REST = ACT_COLORS,     /* index of times in a cell: all elements without a color */
    WAIT = ACT_COLORS + 1, /* index of times in a cell: waiting */
    KINDS,
    LEFT = 110,
    HEIGHT = 18 /* height of a lane, pixels */
};

struct act_timeline {
    struct act_picture picture;
    struct act_sink sink;
    int numbers[ACT_COLORS]; /* the elements that have a color, by their numbers in the
                              * model */
    int colored;
    int *color_of; /* by element: index of its color */
    int64_t lanes; /* number of lanes in the picture */
    int64_t all;   /* number of lanes of the run: processes times threads */
    double bin_s;
    /* [lanes][BINS][KINDS] seconds that a lane spent in each kind (color, rest, waiting)
     * in each interval */
    float *cells;
};

/* Add a part of a span to the cells that it covers. */
static void add(struct act_timeline *t, int64_t lane, double from, double to, int kind)
{
    int first = (int)(from / t->bin_s), last = (int)(to / t->bin_s);
    float *row = t->cells + lane * BINS * KINDS;

    for (int b = first < 0 ? 0 : first; b <= last && b < BINS; b++) {
        double begin = fmax(from, b * t->bin_s), end = fmin(to, (b + 1) * t->bin_s);

        if (end > begin)
            row[b * KINDS + kind] += (float)(end - begin);
    }
}

/* Add a span. A message waits first and is then at work; an action that shares its core
 * is at work all the time, but slower. */
static int take(void *context, const struct act_span *s)
{
    struct act_timeline *t = context;
    int64_t lane;
    double wait;
    int kind;

    if (s->kind != ACT_EVENT_ELEMENT && s->kind != ACT_EVENT_LOCK)
        return 0;
    lane = (s->pid * t->picture.threads_seen + s->tid) * t->lanes / t->all;
    if (lane >= t->lanes)
        lane = t->lanes - 1;
    kind = s->kind == ACT_EVENT_LOCK ? WAIT : t->color_of[s->element];
    wait = s->kind == ACT_EVENT_LOCK ? s->end_s - s->start_s
           : t->picture.model->elements[s->element]->kind == ACT_ACTION
               ? 0
               : s->end_s - s->start_s - s->busy_s;
    if (kind < 0) /* parallel and fork: only their threads' spans count */
        return 0;
    if (wait > 0)
        add(t, lane, s->start_s, s->start_s + wait, WAIT);
    add(t, lane, s->start_s + fmax(wait, 0), s->end_s, kind);
    return 0;
}

struct act_timeline *act_timeline_new(const struct act_picture *picture)
{
    struct act_timeline *t = calloc(1, sizeof *t);
    const struct act_model *m = picture->model;

    if (!t)
        return NULL;
    t->picture = *picture;
    t->sink = (struct act_sink){.context = t, .span = take};
    t->all = picture->config.processes * picture->threads_seen;
    t->lanes = t->all < ACT_LANES ? t->all : ACT_LANES;
    t->bin_s = picture->result->makespan_s > 0 ? picture->result->makespan_s / BINS : 1;
    t->color_of = malloc((size_t)(m->element_count + 1) * sizeof *t->color_of);
    t->cells = calloc((size_t)t->lanes * BINS * KINDS, sizeof *t->cells);
    if (!t->color_of || !t->cells) {
        act_timeline_free(t);
        return NULL;
    }
    t->colored = act_elements_by_time(m, picture->result, 1, t->numbers, ACT_COLORS);
    for (int i = 0; i < m->element_count; i++)
        t->color_of[i] =
            m->elements[i]->kind == ACT_PARALLEL || m->elements[i]->kind == ACT_FORK
                ? -1
                : REST;
    for (int i = 0; i < t->colored; i++)
        t->color_of[t->numbers[i]] = i;
    return t;
}

const struct act_sink *act_timeline_sink(struct act_timeline *timeline)
{
    return &timeline->sink;
}

/* --- Drawing. --- */

/* The kind with most of a cell's time; -1: the cell was mostly idle. */
static int kind_of(const struct act_timeline *t, int64_t lane, int bin)
{
    const float *cell = t->cells + (lane * BINS + bin) * KINDS;
    int most = -1;
    double sum = 0;

    for (int k = 0; k < KINDS; k++) {
        sum += cell[k];
        if (cell[k] > 0 && (most < 0 || cell[k] > cell[most]))
            most = k;
    }
    return sum * (double)t->lanes < .25 * t->bin_s * (double)t->all ? -1 : most;
}

static const char *color(int kind)
{
    return kind == WAIT   ? ACT_COLOR_WAIT
           : kind == REST ? ACT_COLOR_REST
                          : act_colors[kind];
}

static void draw_lane(FILE *out, const struct act_timeline *t, int64_t lane, double y)
{
    char text[120], label[80], from[32], to[32];
    int begin = 0;

    if (t->lanes < t->all)
        snprintf(text, sizeof text, "from %" PRId64, lane * t->all / t->lanes);
    else if (t->picture.threads_seen > 1)
        snprintf(text, sizeof text, "%" PRId64 ", thread %" PRId64,
                 lane / t->picture.threads_seen, lane % t->picture.threads_seen);
    else
        snprintf(text, sizeof text, "process %" PRId64, lane);
    act_svg_text(out, LEFT - 8, y + 13, "end", text);
    for (int b = 1; b <= BINS; b++) {
        int kind = kind_of(t, lane, begin);

        if (b < BINS && kind_of(t, lane, b) == kind)
            continue;
        if (kind >= 0) {
            if (kind < t->colored)
                act_element_label(t->picture.model->elements[t->numbers[kind]], label,
                                  sizeof label);
            else
                snprintf(label, sizeof label, "%s", kind == WAIT ? "waiting" : "others");
            snprintf(text, sizeof text, "%.60s: %s to %s", label,
                     act_time_text(begin * t->bin_s, from, sizeof from),
                     act_time_text(b * t->bin_s, to, sizeof to));
            act_svg_box(out, LEFT + begin, y + 2, b - begin, HEIGHT - 4, color(kind),
                        text);
        }
        begin = b;
    }
}

/* Whether some cell of the picture has the color of this kind. */
static int is_seen(const struct act_timeline *t, int kind)
{
    for (int64_t lane = 0; lane < t->lanes; lane++)
        for (int b = 0; b < BINS; b++)
            if (kind_of(t, lane, b) == kind)
                return 1;
    return 0;
}

/* Draw the names of colors from left to right in lines of the picture's width. Returns
 * the lower end. */
static double draw_legend(FILE *out, const struct act_timeline *t, double y)
{
    double x = LEFT;
    char label[80];

    for (int k = 0; k < KINDS; k++) {
        double width;

        if (!is_seen(t, k))
            continue;
        if (k < t->colored)
            act_element_label(t->picture.model->elements[t->numbers[k]], label,
                              sizeof label);
        else
            snprintf(label, sizeof label, "%s", k == WAIT ? "waiting" : "others");
        width = 24 + 7.2 * (double)strlen(label) + 10;
        if (x + width > LEFT + BINS && x > LEFT) {
            x = LEFT;
            y += 18;
        }
        act_svg_box(out, x, y - 10, 12, 11, color(k), NULL);
        act_svg_text(out, x + 18, y, "start", label);
        x += width;
    }
    return y + 10;
}

static void draw_axis(FILE *out, const struct act_timeline *t, double y)
{
    double whole = BINS * t->bin_s, step = pow(10, floor(log10(whole / 4)));
    char text[40];

    if (whole / step > 20)
        step *= 5;
    else if (whole / step > 8)
        step *= 2;
    for (double at = 0; at <= whole * 1.0001; at += step) {
        double x = LEFT + at / t->bin_s;

        cca_svg_line(out, x, y, x, y + 4, " stroke=\"#555555\"");
        act_svg_text(out, x, y + 17, "middle", act_time_text(at, text, sizeof text));
    }
}

static double legend_height(const struct act_timeline *t)
{
    FILE *nowhere = fopen("/dev/null", "we");
    double y = 0;

    if (!nowhere)
        return 36;
    y = draw_legend(nowhere, t, 0);
    fclose(nowhere);
    return y;
}

int act_timeline_write(const struct act_timeline *t, const char *path,
                       struct cca_error *err)
{
    char title[200],
        subtitle[200] = "activity of each process: simulated time to the right";
    double top = 62 + legend_height(t), y;
    struct act_file file;

    if (act_file_begin(&file, path, err))
        return err->code;
    act_picture_title(t->picture.model, &t->picture.config, t->picture.result->makespan_s,
                      title, sizeof title);
    if (t->lanes < t->all)
        snprintf(subtitle, sizeof subtitle,
                 "%" PRId64 " bands of about %.4g %s each, named by their first; a cell "
                 "shows the element with most of its time",
                 t->lanes, (double)t->all / (double)t->lanes,
                 t->picture.threads_seen > 1 ? "threads" : "processes");
    y = top + (double)t->lanes * HEIGHT;
    act_svg_begin(file.out, LEFT + BINS + 40, y + 34, title, subtitle);
    draw_legend(file.out, t, 62);
    for (int64_t lane = 0; lane < t->lanes; lane++)
        draw_lane(file.out, t, lane, top + (double)lane * HEIGHT);
    draw_axis(file.out, t, y + 4);
    fputs("</svg>\n", file.out);
    return act_file_end(&file, err);
}

void act_timeline_free(struct act_timeline *t)
{
    if (!t)
        return;
    free(t->color_of);
    free(t->cells);
    free(t);
}
