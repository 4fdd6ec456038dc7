/* SPDX-License-Identifier: BSD-3-Clause */
/* marks.h: the mark-up language of header annotations and sidecar lines.
 *
 * ports/cca_port.h has the annotations. A sidecar has the same marks as lines:
 *
 *     # flux_port.perf
 *     port shock.FluxPort/1
 *     method compute
 *         mode  axis { 0: x, 1: y }          also: mode NAME = EXPRESSION { LABELS }
 *         param nx
 *         param Q = nx * ny
 *         out   iterations = *iterations
 *     method ghost_needed
 *         unmeasured
 *
 * A method's sidecar lines replace the header's marks of that method. */
#ifndef PROXYGEN_PERF_MARKS_H
#define PROXYGEN_PERF_MARKS_H

#include "tools/proxygen/perf/lex.h"
#include "tools/proxygen/perf/model.h"

/* All functions return 0; or -EINVAL with `file:line:column: error: ...` in `err`; or
 * -ENOMEM. */

/* Parse "Q = nx * ny; out made = *count; remember n as size on return": parameters with
 * expressions, and lines as in sidecars. */
int pg_marks_perf(struct pg_method *method, const struct pg_source *source,
                  struct cca_error *err);

/* Parse the text after "cca:" in an annotation of argument `arg`, or, if `arg` is -1, of
 * the method itself. */
int pg_marks_annotation(struct pg_method *method, ptrdiff_t arg,
                        const struct pg_source *source, struct cca_error *err);

/* Return the length of an annotation's first word, "perf:" or "mode:", for callers that
 * know the text's position in the header; 0 if no text follows that word. */
size_t pg_marks_head(const char *annotation);

/* Parse a whole sidecar; `source->lines` must be set. */
int pg_marks_sidecar(struct pg_port *port, const struct pg_source *source,
                     struct cca_error *err);

/* Two functions for readers of other formats: make a value from its expression, and move
 * a value into the method. After the second, `value` is empty in any case. */
int pg_marks_value(const struct pg_method *method, enum monitor_kind kind,
                   const char *name, const char *expression, struct pg_value *value,
                   struct cca_error *err);
int pg_marks_take(struct pg_method *method, struct pg_value *value,
                  struct cca_error *err);

#endif
