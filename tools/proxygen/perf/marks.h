/* SPDX-License-Identifier: BSD-3-Clause */
/* marks.h: the mark-up language of header annotations and sidecar lines.
 *
 * Annotations are those of ports/cca_port.h. A sidecar says the same in lines:
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

/* All return 0; -EINVAL with `file:line:column: error: ...` in `err`, -ENOMEM. */

/* "Q = nx * ny; out made = *count; remember n as size on return": parameters that are
 * expressions, and lines as a sidecar has them. */
int pg_marks_perf(struct pg_method *method, const struct pg_source *source,
                  struct cca_error *err);

/* Parse the text after "cca:" in an annotation of argument `arg` (-1: the method's
 * own). */
int pg_marks_annotation(struct pg_method *method, ptrdiff_t arg,
                        const struct pg_source *source, struct cca_error *err);

/* The length of an annotation's head: "perf:", "mode:"; 0 if it has no text. For
 * callers that know the text's position in the header. */
size_t pg_marks_head(const char *annotation);

/* Parse a whole sidecar. source->lines is set. */
int pg_marks_sidecar(struct pg_port *port, const struct pg_source *source,
                     struct cca_error *err);

/* A value in parts, for readers of other formats: make it from its expression; give it
 * to the method (it is emptied in any case). */
int pg_marks_value(const struct pg_method *method, enum monitor_kind kind,
                   const char *name, const char *expression, struct pg_value *value,
                   struct cca_error *err);
int pg_marks_take(struct pg_method *method, struct pg_value *value,
                  struct cca_error *err);

#endif
