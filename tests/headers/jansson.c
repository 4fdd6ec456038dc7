/* SPDX-License-Identifier: BSD-3-Clause */
/* jansson.c: calls of jansson, which the recorder has a copy of, each told on standard
 * output as the records should have it. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int write_piece(const char *buffer, size_t size, void *data)
{
    json_t *piece = json_stringn(buffer, size);

    printf("json_stringn in=json_dump_callback len=%zu\n", size);
    *(size_t *)data += size;
    json_decref(piece); /* inline: calls json_delete, which is not asked for */
    return 0;
}

int main(void)
{
    for (int n = 0; n < 12; n++) {
        json_t *array = json_array();
        size_t made = 0, flags = n % 2 ? JSON_COMPACT : JSON_INDENT(3);
        char text[2000];
        json_error_t error;

        puts("json_array");
        for (int i = 0; i < n; i++) {
            json_t *number = i % 2 ? json_integer(i - 5) : json_real(i / 4.0);

            if (i % 2)
                printf("json_integer value=%d\n", i - 5);
            else
                printf("json_real value=%.17g\n", i / 4.0);
            printf("json_array_append_new before=%d after=%d result=%d\n", i, i + 1,
                   json_array_append_new(array, number));
        }
        printf("json_array_size size=%zu\n", json_array_size(array));
        printf("json_dump_callback flags=%zu result=%d\n", flags,
               json_dump_callback(array, write_piece, &made, flags));
        if (json_dumpb(array, text, sizeof text, flags) != made)
            return 1;
        printf("json_dumpb size=%zu flags=%zu made=%zu\n", sizeof text, flags, made);
        json_decref(array);
        array = json_loadb(text, made - (n == 8), 0, &error); /* one is cut off */
        printf("json_loadb buflen=%zu flags=0\n", made - (n == 8));
        if (!array != (n == 8))
            return 1;
        json_decref(array);
    }
    puts("inner json_array json_integer json_real json_array_append_new");
    return 0;
}
