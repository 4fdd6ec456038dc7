/* SPDX-License-Identifier: BSD-3-Clause */
/* file.h: a file that is written under a temporary name and renamed; escaping for SVG and
 * JSON. */
#ifndef ACTIVITY_TRACE_FILE_H
#define ACTIVITY_TRACE_FILE_H

#include <stdio.h>

#include "activity/run/engine.h"

struct act_file {
    FILE *out;
    char *path, *fresh;
};

/* Open the temporary file. Returns 0, or an error with `err`. */
int act_file_begin(struct act_file *file, const char *path, struct cca_error *err);
/* Close and rename the file. Returns 0, or an error with `err`. */
int act_file_end(struct act_file *file, struct cca_error *err);
/* Remove a file that was not ended. */
void act_file_drop(struct act_file *file);

/* Write the text escaped for the inside of JSON quotes. */
void act_put_json(FILE *out, const char *text);

/* --- SVG --- */

/* Begin a picture of this size in pixels with a heading. */
void act_svg_begin(FILE *out, double width, double height, const char *title,
                   const char *subtitle);
/* Write text; anchor: "start", "middle", "end". */
void act_svg_text(FILE *out, double x, double y, const char *anchor, const char *text);
void act_svg_box(FILE *out, double x, double y, double width, double height,
                 const char *color, const char *hover);

/* Title of a picture: "sample on N2P8: 194.18 s". */
void act_picture_title(const struct act_model *model, const struct act_config *config,
                       double makespan_s, char *text, size_t size);
/* Label of an element: its name, or its kind and line. */
const char *act_element_label(const struct act_element *e, char *text, size_t size);
/* List the elements that ran and have time of their own, by total time or by time at
 * work, descending, into numbers[most]; returns their count. */
int act_elements_by_time(const struct act_model *model, const struct act_result *result,
                         int at_work, int *numbers, int most);
/* Write a time as "1.5 s" or "12 ms". Returns `text`. */
const char *act_time_text(double seconds, char *text, size_t size);

/* Colors of elements; the first ones differ for color-blind readers, too. */
enum { ACT_COLORS = 12 };
extern const char *const act_colors[ACT_COLORS];
#define ACT_COLOR_WAIT "#dddddd"
#define ACT_COLOR_REST "#999999"

#endif
