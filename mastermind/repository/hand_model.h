/* SPDX-License-Identifier: BSD-3-Clause */
/* hand_model.h: read a model that a person has written: formula, range, interval.
 *
 *     {
 *      "schema": "mastermind/model-file/1",
 *      "class": "EFMFlux", "port_type": "shock.FluxPort/1", "method": "compute",
 *      "modes": {"axis": 0},
 *      "formula": "0.9 us + 0.0161 us * Q",
 *      "range": {"Q": [64, 2e5]},
 *      "interval": 0.1
 *     }
 *
 * docs/internals/models.md has all members. */
#ifndef MASTERMIND_REPOSITORY_HAND_MODEL_H
#define MASTERMIND_REPOSITORY_HAND_MODEL_H

#include "mastermind/repository/model_json.h"
#include "mastermind/repository/text_file.h"

#define MM_MODEL_SCHEMA "mastermind/model-file/1"

/* Read such a document into `stored`, whose members except the file name are zero.
 * Returns 0; -EBADMSG: "file:line: found ..., expected ..."; or -ENOMEM; call
 * mm_stored_done in any case. */
int mm_hand_model_read(struct mm_stored_model *stored, const struct mm_text_file *file,
                       struct cca_error *err);

#endif
