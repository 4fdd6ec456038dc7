/* SPDX-License-Identifier: BSD-3-Clause */
/* json_calls.c: uses jansson, which the recorder itself is made with. */
#include <jansson.h>
#include <stdlib.h>

int main(void)
{
    for (int i = 0; i < 20; i++) {
        json_t *array = json_array();
        char *text;

        for (int j = 0; j < i; j++)
            json_array_append_new(array, json_integer(j));
        text = json_dumps(array, JSON_COMPACT);
        json_decref(array);
        if (!text)
            return 1;
        free(text);
    }
    return 0;
}
