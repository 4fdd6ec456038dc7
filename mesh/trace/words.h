/* SPDX-License-Identifier: BSD-3-Clause */
/* words.h: limits of a profile's fields and check values of frames, for writer and
 * reader. */
#ifndef MESH_TRACE_WORDS_H
#define MESH_TRACE_WORDS_H

#include <stdint.h>

#include "mastermind/format/mesh_file.h"
#include "ports/cca_error.h"

/* Check the fields of a profile's properties. Returns 0, or -EINVAL with the field, found
 * and expected. Reentrant. */
int mesh_about_check(const struct mm_mesh_about *about, struct cca_error *err);
int mesh_probe_check(const struct mm_mesh_probe *probe, struct cca_error *err);

/* Compute the number of cells of a level in each dimension: n * ratio^level, 1 in unused
 * dimensions. */
void mesh_level_size(const struct mm_mesh_about *about, int level, int64_t n[3]);

/* Set both check values of a frame; `payload` has frame->bytes bytes. */
void mesh_frame_seal(struct mm_mesh_frame *frame, const void *payload);

/* Whether the check value of the header, or of the payload, is right. */
int mesh_frame_head_holds(const struct mm_mesh_frame *frame);
int mesh_frame_payload_holds(const struct mm_mesh_frame *frame, const void *payload);

#endif
