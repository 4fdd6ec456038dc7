/* SPDX-License-Identifier: BSD-3-Clause */
/* words.h: what writer and reader of a profile share: bounds of its fields, checks. */
#ifndef MESH_TRACE_WORDS_H
#define MESH_TRACE_WORDS_H

#include <stdint.h>

#include "mastermind/format/mesh_file.h"
#include "ports/cca_error.h"

/* 0, or -EINVAL with the field, found and expected. Reentrant. */
int mesh_about_check(const struct mm_mesh_about *about, struct cca_error *err);
int mesh_probe_check(const struct mm_mesh_probe *probe, struct cca_error *err);

/* Cells of a level in each dimension: n * ratio^level, 1 where unused. */
void mesh_level_size(const struct mm_mesh_about *about, int level, int64_t n[3]);

/* Set the two checks of a frame; `payload`, frame->bytes long, may lie anywhere. */
void mesh_frame_seal(struct mm_mesh_frame *frame, const void *payload);

/* True where the head, or the payload, is as it was sealed. */
int mesh_frame_head_holds(const struct mm_mesh_frame *frame);
int mesh_frame_payload_holds(const struct mm_mesh_frame *frame, const void *payload);

#endif
