/* SPDX-License-Identifier: BSD-3-Clause */
/* answers.h: a growing list of answers, with the strings they share. */
#ifndef PROPERTIES_EVALUATE_ANSWERS_H
#define PROPERTIES_EVALUATE_ANSWERS_H

#include "properties/evaluate/evaluate.h"

/* A string owned by the answers; equal texts are stored once and give the same pointer.
 * NULL: no memory, or `text` is NULL. */
const char *mm_answers_string(struct mm_property_answers *answers, const char *text);
/* Add an answer and count it. Returns 0 or -ENOMEM. */
int mm_answers_add(struct mm_property_answers *answers,
                   const struct mm_property_answer *answer);

#endif
