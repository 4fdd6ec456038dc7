/* SPDX-License-Identifier: BSD-3-Clause */
/* model_svg.h: figures of models as SVG. */
#ifndef MASTERMIND_EXPORT_MODEL_SVG_H
#define MASTERMIND_EXPORT_MODEL_SVG_H

#include "mastermind/export/parts.h"

/* Write the panels as one document, side by side if there are several. A panel shows the
 * density of the calls, the curve of the formula, its 90 % band, the 95 % band of a
 * single call, breaks, alternative formulas as dotted lines, and a grey background beyond
 * the measured sizes. `unit` is the unit of the y axis, "" for times, whose ticks have
 * units. The caller checks `to` for errors of output.
 *
 * Returns 0; -ENOMEM: the document is incomplete. */
int mm_model_svg(FILE *to, const struct mm_figure_panel *panels, size_t count,
                 const char *unit);

#endif
