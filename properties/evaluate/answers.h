/* SPDX-License-Identifier: BSD-3-Clause */
/* answers.h: answers as they are collected, with the strings that they share. */
#ifndef PROPERTIES_EVALUATE_ANSWERS_H
#define PROPERTIES_EVALUATE_ANSWERS_H

#include "properties/evaluate/evaluate.h"

/* A string of the answers, kept once: the same text as one kept before is the same
 * pointer. NULL: no memory, or `text` is NULL. */
const char *mm_answers_string(struct mm_property_answers *answers, const char *text);
/* Add an answer and count it. 0 or -ENOMEM. */
int mm_answers_add(struct mm_property_answers *answers,
                   const struct mm_property_answer *answer);

#endif
