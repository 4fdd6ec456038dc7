/* SPDX-License-Identifier: BSD-3-Clause */
/* model_svg.h: figures of models as SVG. */
#ifndef MASTERMIND_EXPORT_MODEL_SVG_H
#define MASTERMIND_EXPORT_MODEL_SVG_H

#include "mastermind/export/model_figure.h"

/* Write the panels as one document, two beside each other where there are several: the
 * calls by density, the curve, its 90 % band, the 95 % band of one call, breaks, rivals
 * as dotted lines, and beyond the sizes seen a grey ground. `unit`: of y, "" for times,
 * whose ticks have it. Errors of output are those of `to`.
 *
 * Returns 0; -ENOMEM: the document is then not whole. */
int mm_model_svg(FILE *to, const struct mm_figure_panel *panels, size_t count,
                 const char *unit);

#endif
