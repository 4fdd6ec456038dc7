/* SPDX-License-Identifier: BSD-3-Clause */
/* file.h: a file that is written beside its place and renamed; words of SVG and JSON. */
#ifndef ACTIVITY_TRACE_FILE_H
#define ACTIVITY_TRACE_FILE_H

#include <stdio.h>

#include "activity/run/engine.h"

struct act_file {
    FILE *out;
    char *path, *fresh;
};

/* 0, or an error with `err`. */
int act_file_begin(struct act_file *file, const char *path, struct cca_error *err);
/* 0, then the file has its name. */
int act_file_end(struct act_file *file, struct cca_error *err);
/* What was not ended is removed. */
void act_file_drop(struct act_file *file);

/* The text for XML, and between the quotes of JSON. */
void act_put_xml(FILE *out, const char *text);
void act_put_json(FILE *out, const char *text);

/* --- SVG --- */

/* Begin a picture of this size in pixels with a heading. Fonts are the viewer's. */
void act_svg_begin(FILE *out, double width, double height, const char *title,
                   const char *subtitle);
void act_svg_end(FILE *out);
/* anchor: "start", "middle", "end". */
void act_svg_text(FILE *out, double x, double y, const char *anchor, const char *text);
void act_svg_box(FILE *out, double x, double y, double width, double height,
                 const char *color, const char *hover);

/* "sample on N2P8: 194.18 s". */
void act_picture_title(const struct act_model *model, const struct act_config *config,
                       double makespan_s, char *text, size_t size);
/* The name of an element for people: its own, or its kind and line. */
const char *act_element_label(const struct act_element *e, char *text, size_t size);
/* Elements that have a time of their own and were come to, by their time, descending, or
 * by that at work: numbers[most]; their count. */
int act_elements_by_time(const struct act_model *model, const struct act_result *result,
                         int at_work, int *numbers, int most);
/* "1.5 s", "12 ms". Returns `text`. */
const char *act_time_text(double seconds, char *text, size_t size);

/* Colors of elements: the first ones told apart also by those who do not see all. */
enum { ACT_COLORS = 12 };
extern const char *const act_colors[ACT_COLORS];
#define ACT_COLOR_WAIT "#dddddd"
#define ACT_COLOR_REST "#999999"

#endif
