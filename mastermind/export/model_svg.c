/* SPDX-License-Identifier: BSD-3-Clause */
/* model_svg.c: figures of models as SVG.
 *
 *   +--------------------------------------------------+
 *   | title                                            |
 *   | subtitle                                         |
 *   | y |                                | legend      |
 *   |   |  seen          beyond          |             |
 *   |   +--------------------------------+             |
 *   |                 x                                |
 *   +--------------------------------------------------+ */
#include "mastermind/export/model_svg.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/svg.h"
#include "mastermind/cost/cost.h"

enum {
    WIDTH = 800,
    HEIGHT = 430,
    LEFT = 74,
    RIGHT = 268, /* width of the legend */
    TOP = 62,
    BOTTOM = 52,
    STEPS = 120, /* number of points of a curve */
    FEW = 250,   /* up to this number, calls are drawn one by one */
    CELL = 5,    /* size in pixels of a cell that represents many calls */
    COLORS = 7,
    LEGEND_LETTERS = 42,
    WITH_FORMULAS = 7, /* up to this number of modes, the legend has formulas */
    NAMED = 14         /* largest number of modes in the legend */
};

/* a model with a narrow range of sizes is drawn up to this factor beyond the range */
#define NEAR 1.25

/* Colours of Okabe and Ito (2008), distinguishable with any kind of colour vision,
 * without yellow, which is too light for lines. */
static const char *const colors[COLORS] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                           "#E69F00", "#56B4E9", "#000000"};
static const char *const dashes[COLORS] = {
    "", "9 3", "14 3 3 3", "5 2", "9 2 2 2 2 2", "18 4", "3 2"};

struct canvas {
    FILE *to;
    const struct mm_figure_panel *panel;
    struct mm_plot_axis x, y; /* axes of the panel, scaled to pixels */
    const char *unit;
    size_t number; /* index of the panel, for the id of its clip path */
    int failed;    /* 1: out of memory */
};

static double plot_right(void)
{
    return WIDTH - RIGHT;
}

static const char *color_of(size_t series)
{
    return colors[series % COLORS];
}

/* Return the dashes of a curve, which distinguish series of the same colour. */
static const char *dash_of(size_t series)
{
    const char *dash = dashes[(series + series / COLORS) % COLORS];

    return *dash ? dash : "none";
}

static double plot_bottom(void)
{
    return HEIGHT - BOTTOM;
}

/* --- Ground ------------------------------------------------------------------------- */

/* Draw the part of a panel from pixel `from` to pixel `to` grey: no sizes were measured
 * there. */
static void draw_beyond(const struct canvas *c, double from, double to)
{
    if (to - from < 1)
        return;
    cca_svg_rect(c->to, from, TOP, to - from, plot_bottom() - TOP, " fill=\"#eeeeee\"",
                 NULL);
    if (to - from > 60)
        cca_svg_text(c->to, (from + to) / 2, TOP + 14,
                     " text-anchor=\"middle\" font-size=\"10\" fill=\"#777777\"",
                     "beyond", 20);
}

static void draw_ground(const struct canvas *c)
{
    const struct mm_figure_panel *p = c->panel;

    cca_svg_rect(c->to, LEFT, TOP, plot_right() - LEFT, plot_bottom() - TOP,
                 " fill=\"#ffffff\"", NULL);
    if (p->parameter == p->series[0].model->method->in_count)
        return;
    draw_beyond(c, LEFT,
                fmin(fmax(mm_axis_pixel(&c->x, p->low), LEFT), plot_right()) - 5);
    draw_beyond(c, fmax(mm_axis_pixel(&c->x, p->high), LEFT) + 5, plot_right());
}

static void draw_x_axis(const struct canvas *c)
{
    const struct mm_figure_panel *p = c->panel;
    const struct mm_method_info *method = p->series[0].model->method;
    struct mm_tick ticks[MM_TICKS];
    size_t count = mm_axis_ticks(&c->x, ticks);
    double bottom = plot_bottom(), middle = (LEFT + plot_right()) / 2;

    if (p->parameter == method->in_count) {
        cca_svg_text(c->to, middle, bottom + 20,
                     " text-anchor=\"middle\" fill=\"#555555\"", "no parameter", 40);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        double at = mm_axis_pixel(&c->x, ticks[i].value);
        char text[40];

        cca_svg_line(c->to, at, bottom, at, bottom + (ticks[i].named ? 6 : 3),
                     " stroke=\"#333333\"");
        if (!ticks[i].named)
            continue;
        mm_axis_text(ticks[i].value, 0, text, sizeof text);
        cca_svg_text(c->to, at, bottom + 19, " text-anchor=\"middle\"", text, 40);
    }
    cca_svg_text(c->to, middle, bottom + 38,
                 " text-anchor=\"middle\" font-weight=\"bold\"",
                 method->values[p->parameter].name, 60);
}

static void draw_y_axis(const struct canvas *c)
{
    struct mm_tick ticks[MM_TICKS];
    size_t count = mm_axis_ticks(&c->y, ticks);

    for (size_t i = 0; i < count; i++) {
        double at = mm_axis_pixel(&c->y, ticks[i].value);
        char text[40];

        if (ticks[i].named)
            cca_svg_line(c->to, LEFT, at, plot_right(), at, " stroke=\"#dddddd\"");
        cca_svg_line(c->to, LEFT - (ticks[i].named ? 6 : 3), at, LEFT, at,
                     " stroke=\"#333333\"");
        if (!ticks[i].named)
            continue;
        mm_axis_text(ticks[i].value, !*c->unit, text, sizeof text);
        cca_svg_text(c->to, LEFT - 9, at + 4, " text-anchor=\"end\"", text, 40);
    }
    if (!*c->unit)
        return;
    fprintf(c->to,
            "<text transform=\"translate(14 %.1f) rotate(-90)\" "
            "text-anchor=\"middle\">",
            (TOP + plot_bottom()) / 2);
    cca_xml_put(c->to, c->unit, 40);
    fputs("</text>\n", c->to);
}

/* --- Calls
 * -------------------------------------------------------------------------------- */

static void draw_marker(const struct canvas *c, size_t kind, double x, double y,
                        double size, const char *color)
{
    double s = size;

    switch (kind % 4) {
    case 0:
        fprintf(c->to, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"", x, y, s);
        break;
    case 1:
        fprintf(c->to, "<path d=\"M%.1f %.1fl%.1f %.1fh%.1fz\"", x, y - 1.2 * s, 1.1 * s,
                2 * s, -2.2 * s);
        break;
    case 2:
        fprintf(c->to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"",
                x - .9 * s, y - .9 * s, 1.8 * s, 1.8 * s);
        break;
    default:
        fprintf(c->to, "<path d=\"M%.1f %.1fl%.1f %.1fl%.1f %.1fl%.1f %.1fz\"", x,
                y - 1.3 * s, 1.3 * s, 1.3 * s, -1.3 * s, 1.3 * s, -1.3 * s, -1.3 * s);
    }
    fprintf(c->to, " fill=\"%s\" fill-opacity=\"0.45\"/>\n", color);
}

static double dot_y(const struct canvas *c, double y)
{
    /* a cost of 0 is drawn at the bottom of the plot */
    return fmin(mm_axis_pixel(&c->y, y), plot_bottom() - 2);
}

/* Draw many calls as cells, which are darker the more calls they contain. */
static void draw_cells(struct canvas *c, const struct mm_figure_series *series,
                       const char *color, double shift)
{
    int columns = (WIDTH - RIGHT - LEFT) / CELL + 1,
        rows = (HEIGHT - TOP - BOTTOM) / CELL + 1;
    double *cells = calloc((size_t)columns * (size_t)rows, sizeof *cells), most = 0;

    c->failed |= !cells;
    for (size_t i = 0; cells && i < series->dot_count; i++) {
        int column =
            (int)((mm_axis_pixel(&c->x, series->dots[i].x) + shift - LEFT) / CELL);
        int row = (int)((dot_y(c, series->dots[i].y) - TOP) / CELL);

        if (column < 0 || column >= columns || row < 0 || row >= rows)
            continue;
        cells[row * columns + column] += series->dots[i].weight;
        most = fmax(most, cells[row * columns + column]);
    }
    for (int i = 0; cells && i < columns * rows; i++)
        if (cells[i] > 0)
            fprintf(c->to,
                    "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\" "
                    "fill-opacity=\"%.2f\"/>\n",
                    LEFT + i % columns * CELL, TOP + i / columns * CELL, CELL, CELL,
                    color, .15 + .75 * log1p(cells[i]) / log1p(most));
    free(cells);
}

/* Return the number of pixels by which a mode's marks are shifted sideways, so that no
 * mode hides another. */
static double series_shift(const struct canvas *c, size_t i)
{
    return c->panel->count > 1 && c->panel->count <= 4
               ? ((double)i - (double)(c->panel->count - 1) / 2) * CELL
               : 0;
}

static void draw_calls(struct canvas *c, size_t i)
{
    const struct mm_figure_series *series = &c->panel->series[i];
    double shift = series_shift(c, i);

    if (series->dot_count > FEW) {
        draw_cells(c, series, color_of(i), shift);
        return;
    }
    for (size_t k = 0; k < series->dot_count; k++)
        draw_marker(c, i, mm_axis_pixel(&c->x, series->dots[k].x) + shift,
                    dot_y(c, series->dots[k].y), 3, color_of(i));
}

/* --- Curves
 * -------------------------------------------------------------------------------- */

/* Estimated costs of a series at points along the x axis. */
struct curve {
    double x[STEPS + 1]; /* positions of the points in pixels */
    struct mm_estimate e[STEPS + 1];
    double tuple[STEPS + 1][MONITOR_MAX_IN];
};

static void sample_curve(const struct canvas *c, const struct mm_figure_series *series,
                         struct curve *curve)
{
    size_t parameter = c->panel->parameter;

    for (int i = 0; i <= STEPS; i++) {
        double value = mm_axis_value(&c->x, i / (double)STEPS);

        if (series->model->narrow && parameter < series->model->method->in_count)
            value = fmax(series->model->low[parameter] / NEAR,
                         fmin(series->model->high[parameter] * NEAR, value));

        memcpy(curve->tuple[i], series->at, sizeof curve->tuple[i]);
        if (parameter < series->model->method->in_count)
            curve->tuple[i][parameter] = value;
        curve->x[i] = mm_axis_pixel(&c->x, value);
        mm_figure_estimate(c->panel, series, curve->tuple[i], &curve->e[i]);
    }
}

/* Draw the area between two bounds of the cost, up to the first point without bounds;
 * `low` and `high` are the offsets of these members in struct mm_estimate. */
static void draw_band(const struct canvas *c, const struct curve *curve, size_t low,
                      size_t high, const char *color, double opacity)
{
    const char *command = "M";
    int count = 0;

    while (count <= STEPS &&
           isfinite(*(const double *)((const char *)&curve->e[count] + low)))
        count++;
    if (!count)
        return;
    fputs("<path d=\"", c->to);
    for (int i = 0; i < count; i++, command = "L")
        fprintf(
            c->to, "%s%.1f %.1f", command, curve->x[i],
            mm_axis_pixel(&c->y, *(const double *)((const char *)&curve->e[i] + high)));
    for (int i = count; i-- > 0;)
        fprintf(
            c->to, "L%.1f %.1f", curve->x[i],
            mm_axis_pixel(&c->y, *(const double *)((const char *)&curve->e[i] + low)));
    fprintf(c->to,
            "Z\" fill=\"%s\" fill-opacity=\"%.2f\" stroke=\"%s\" stroke-opacity=\"%.2f\" "
            "stroke-width=\"0.6\"/>\n",
            color, opacity, color, 2 * opacity);
}

static void draw_form(const struct canvas *c, const struct curve *curve,
                      const struct mm_form *form, double least, const char *more)
{
    const char *command = "M";

    fputs("<path d=\"", c->to);
    for (int i = 0; i <= STEPS; i++, command = "L") {
        double value = mm_form_value(form, curve->tuple[i]);

        if (!(value > 0) || !isfinite(value))
            value = least;
        fprintf(c->to, "%s%.1f %.1f", command, curve->x[i], mm_axis_pixel(&c->y, value));
    }
    fprintf(c->to, "\" fill=\"none\"%s/>\n", more);
}

static void draw_breaks(const struct canvas *c, const struct mm_figure_series *series,
                        const char *color)
{
    const struct mm_form *form = &series->model->forms.form[0];
    double label = TOP + 28;

    for (size_t i = 0; i < form->count; i++) {
        const struct mm_basis *basis = &form->basis[i];
        double at = mm_axis_pixel(&c->x, basis->at);
        char more[120], number[40];

        if ((basis->kind != MM_BASIS_HINGE && basis->kind != MM_BASIS_JUMP) ||
            basis->factor[0].parameter != c->panel->parameter || at < LEFT ||
            at > plot_right())
            continue;
        snprintf(more, sizeof more,
                 " stroke=\"%s\" stroke-dasharray=\"2 3\" stroke-width=\"1.2\"", color);
        cca_svg_line(c->to, at, TOP, at, plot_bottom(), more);
        /* print the size at which the formula has a break */
        snprintf(number, sizeof number, "%.3e", basis->at);
        mm_axis_text(strtod(number, NULL), 0, number, sizeof number);
        snprintf(more, sizeof more, " font-size=\"10\" fill=\"%s\"%s", color,
                 at > plot_right() - 80 ? " text-anchor=\"end\"" : "");
        cca_svg_text(c->to, at + (at > plot_right() - 80 ? -4 : 4), label, more, number,
                     40);
        label += 12;
    }
}

static void draw_series(struct canvas *c, size_t i)
{
    const struct mm_figure_series *series = &c->panel->series[i];
    const struct mm_forms *forms = &series->model->forms;
    const char *color = color_of(i);
    struct curve *curve = malloc(sizeof *curve);
    char more[160];

    if (!curve) {
        c->failed = 1;
        return;
    }
    sample_curve(c, series, curve);
    draw_band(c, curve, offsetof(struct mm_estimate, low),
              offsetof(struct mm_estimate, high), color,
              c->panel->source.estimate ? .25 : .10);
    draw_band(c, curve, offsetof(struct mm_estimate, fit_low),
              offsetof(struct mm_estimate, fit_high), color, .25);
    draw_calls(c, i);
    snprintf(more, sizeof more,
             " stroke=\"%s\" stroke-width=\"1.1\" stroke-dasharray=\"1.5 3\"", color);
    for (size_t k = 1; k < forms->count; k++)
        draw_form(c, curve, &forms->form[k], series->model->least_ns, more);
    snprintf(more, sizeof more,
             " stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\"", color,
             dash_of(i));
    draw_form(c, curve, &forms->form[0], series->model->least_ns, more);
    draw_breaks(c, series, color);
    free(curve);
}

/* --- Legend
 * ------------------------------------------------------------------------------------ */

/* Write a line of the legend and move `*y` to the next line. */
static void legend_text(const struct canvas *c, double *y, double indent,
                        const char *more, const char *text)
{
    cca_svg_text(c->to, plot_right() + 16 + indent, *y, more, text, LEGEND_LETTERS);
    *y += 15;
}

/* Write a text into the legend, on as many lines as it needs, but at most `lines`. It is
 * broken at blanks. */
static void legend_wrapped(const struct canvas *c, double *y, const char *more,
                           const char *text, int lines)
{
    while (*text && lines-- > 0) {
        char line[LEGEND_LETTERS + 1];
        size_t length = strlen(text), end = length;

        if (length > LEGEND_LETTERS && lines > 0) {
            end = LEGEND_LETTERS;
            while (end > LEGEND_LETTERS / 2 && text[end] != ' ')
                end--;
        }
        if (end > LEGEND_LETTERS) {
            /* the last line may be too long: legend_text cuts it */
            legend_text(c, y, 0, more, text);
            return;
        }
        snprintf(line, sizeof line, "%.*s", (int)end, text);
        legend_text(c, y, 0, more, line);
        *y -= 2;
        text += end;
        text += strspn(text, " ");
    }
    *y += 2;
}

static void legend_series(const struct canvas *c, size_t i, double *y)
{
    const struct mm_figure_series *series = &c->panel->series[i];
    const struct mm_model *model = series->model;
    double x = plot_right() + 16;
    char text[1024], more[160];

    snprintf(more, sizeof more,
             " stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\"", color_of(i),
             dash_of(i));
    cca_svg_line(c->to, x, *y - 4, x + 34, *y - 4, more);
    if (series->dot_count)
        draw_marker(c, i, x + 17, *y - 4, 3.5, color_of(i));
    legend_text(c, y, 42, " font-weight=\"bold\"",
                *series->label ? series->label : "typical cost");
    if (c->panel->count > WITH_FORMULAS)
        return;
    mm_model_print(model, text, sizeof text);
    legend_wrapped(c, y, " font-size=\"10.5\"", text, c->panel->count > 4 ? 1 : 3);
    for (size_t k = 1; k < model->forms.count && k < 3 && c->panel->count <= 4; k++) {
        snprintf(text, sizeof text, "or ");
        mm_form_print(&model->forms.form[k], model->method, model->counts, text + 3,
                      sizeof text - 3);
        legend_wrapped(c, y, " font-size=\"10.5\" fill=\"#666666\"", text,
                       c->panel->count > 2 ? 1 : 2);
    }
    *y += 5;
}

static void legend_swatch(const struct canvas *c, double *y, double opacity,
                          const char *text)
{
    char more[60];

    snprintf(more, sizeof more, " fill=\"%s\" fill-opacity=\"%.2f\"", colors[0], opacity);
    cca_svg_rect(c->to, plot_right() + 16, *y - 9, 34, 10, more, NULL);
    legend_text(c, y, 42, "", text);
}

static void draw_legend(const struct canvas *c)
{
    size_t shown = c->panel->count <= NAMED ? c->panel->count : NAMED;
    double y = TOP + 8;
    int rivals = 0;
    char text[60];

    for (size_t i = 0; i < shown; i++)
        legend_series(c, i, &y);
    if (shown < c->panel->count) {
        snprintf(text, sizeof text, "and %zu more modes", c->panel->count - shown);
        legend_text(c, &y, 0, "", text);
    }
    y += 4;
    legend_swatch(c, &y, .35,
                  c->panel->source.estimate ? "90 %: a run" : "90 %: the curve");
    if (!c->panel->source.estimate)
        legend_swatch(c, &y, .12, "95 %: one call");
    for (size_t i = 0; i < c->panel->count; i++)
        rivals |= c->panel->series[i].model->forms.count > 1;
    if (!rivals)
        return;
    cca_svg_line(c->to, plot_right() + 16, y - 4, plot_right() + 50, y - 4,
                 " stroke=\"#555555\" stroke-width=\"1.1\" stroke-dasharray=\"1.5 3\"");
    legend_text(c, &y, 42, "", "other forms that fit");
}

/* --- Panels
 * --------------------------------------------------------------------------------------
 */

static void draw_panel(struct canvas *c, double left, double top)
{
    const struct mm_figure_panel *p = c->panel;

    c->x = p->x;
    c->x.from = LEFT;
    c->x.to = plot_right();
    c->y = p->y;
    c->y.from = plot_bottom();
    c->y.to = TOP;
    fprintf(c->to,
            "<g transform=\"translate(%.0f %.0f)\">\n"
            "<clipPath id=\"plot%zu\"><rect x=\"%d\" y=\"%d\" width=\"%.1f\" "
            "height=\"%.1f\"/></clipPath>\n",
            left, top, c->number, LEFT, TOP, plot_right() - LEFT, plot_bottom() - TOP);
    cca_svg_text(c->to, LEFT, 24, " font-size=\"15\" font-weight=\"bold\"", p->title, 80);
    cca_svg_text(c->to, LEFT, 44, " fill=\"#555555\"", p->subtitle, 110);
    draw_ground(c);
    draw_y_axis(c);
    draw_x_axis(c);
    fprintf(c->to, "<g clip-path=\"url(#plot%zu)\">\n", c->number);
    for (size_t i = 0; i < p->count; i++)
        draw_series(c, i);
    fputs("</g>\n", c->to);
    cca_svg_rect(c->to, LEFT, TOP, plot_right() - LEFT, plot_bottom() - TOP,
                 " fill=\"none\" stroke=\"#333333\"", NULL);
    draw_legend(c);
    fputs("</g>\n", c->to);
}

int mm_model_svg(FILE *to, const struct mm_figure_panel *panels, size_t count,
                 const char *unit)
{
    int failed = 0;
    size_t columns = count > 1 ? 2 : 1, rows = (count + columns - 1) / columns;

    cca_svg_begin(to, (double)(columns * WIDTH), (double)(rows * HEIGHT));
    fputs("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", to);
    for (size_t i = 0; i < count; i++) {
        struct canvas c = {.to = to, .panel = &panels[i], .unit = unit, .number = i};

        size_t left = i % columns * WIDTH, top = i / columns * HEIGHT;

        draw_panel(&c, (double)left, (double)top);
        failed |= c.failed;
    }
    fputs("</svg>\n", to);
    return failed ? -ENOMEM : 0;
}
