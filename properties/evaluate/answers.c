/* SPDX-License-Identifier: BSD-3-Clause */
/* answers.c: a growing list of answers. */
#include "properties/evaluate/answers.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash.h"

/* A hash table of strings, open addressing; at most half full. */
struct strings {
    char **slots;
    size_t size, count;
};

static size_t hash_of(const char *text)
{
    uint64_t h = cca_hash_text(CCA_HASH_START, text);

    return (size_t)(h ^ h >> 32);
}

static char **slot_of(const struct strings *s, const char *text)
{
    size_t at = hash_of(text) & (s->size - 1);

    while (s->slots[at] && strcmp(s->slots[at], text) != 0)
        at = (at + 1) & (s->size - 1);
    return &s->slots[at];
}

static int grow(struct strings *s)
{
    struct strings larger = {.size = s->size ? 2 * s->size : 64, .count = s->count};

    larger.slots = calloc(larger.size, sizeof *larger.slots);
    if (!larger.slots)
        return -ENOMEM;
    for (size_t i = 0; i < s->size; i++)
        if (s->slots[i])
            *slot_of(&larger, s->slots[i]) = s->slots[i];
    free(s->slots);
    *s = larger;
    return 0;
}

const char *mm_answers_string(struct mm_property_answers *answers, const char *text)
{
    struct strings *s = answers->inside;
    char **slot;

    if (!text)
        return NULL;
    if (!s)
        s = answers->inside = calloc(1, sizeof *s);
    if (!s || (2 * s->count >= s->size && grow(s)))
        return NULL;
    slot = slot_of(s, text);
    if (!*slot && (*slot = strdup(text)))
        s->count++;
    return *slot;
}

int mm_answers_add(struct mm_property_answers *answers,
                   const struct mm_property_answer *answer)
{
    struct mm_property_answer *place =
        cca_array_add(&answers->all, &answers->count, sizeof *place);

    if (!place)
        return -ENOMEM;
    *place = *answer;
    if (answer->holds < 0)
        answers->undecided++;
    else
        answers->evaluated++;
    answers->held += answer->holds > 0;
    return 0;
}

void mm_property_answers_done(struct mm_property_answers *answers)
{
    struct strings *s = answers->inside;

    for (size_t i = 0; s && i < s->size; i++)
        free(s->slots[i]);
    if (s)
        free(s->slots);
    free(s);
    free(answers->all);
    memset(answers, 0, sizeof *answers);
}
