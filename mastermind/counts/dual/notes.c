/* SPDX-License-Identifier: BSD-3-Clause */
/* notes.c: a list of notes for the user. */
#include "mastermind/counts/dual/notes.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

int mm_notes_add(struct mm_notes *notes, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    int length;

    va_start(arguments, format);
    length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return -ENOMEM;
    for (size_t i = 0; i < notes->count; i++) {
        if (strcmp(notes->items[i], text) == 0) {
            free(text);
            return 0;
        }
    }
    if (cca_array_reserve(&notes->items, notes->count, sizeof *notes->items)) {
        free(text);
        return -ENOMEM;
    }
    notes->items[notes->count++] = text;
    return 0;
}

void mm_notes_done(struct mm_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        free(notes->items[i]);
    free(notes->items);
    *notes = (struct mm_notes){0};
}
