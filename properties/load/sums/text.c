/* SPDX-License-Identifier: BSD-3-Clause */
/* text.c: a growing text. */
#include "properties/load/sums/sums.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/array.h"

void mm_text_add(struct mm_text *t, const char *format, ...)
{
    va_list values;
    int need;

    va_start(values, format);
    need = vsnprintf(NULL, 0, format, values);
    va_end(values);
    if (need < 0 || t->failed ||
        cca_array_extend(&t->text, &t->room, 1, t->length + (size_t)need + 1)) {
        t->failed = 1;
        return;
    }
    va_start(values, format);
    vsnprintf(t->text + t->length, (size_t)need + 1, format, values);
    va_end(values);
    t->length += (size_t)need;
}
