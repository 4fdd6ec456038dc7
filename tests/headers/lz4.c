/* SPDX-License-Identifier: BSD-3-Clause */
/* lz4.c: calls of lz4, each told on standard output as the records should have it. */
#include <lz4.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"

enum { SIZE = 50000 };

int main(void)
{
    static char in[SIZE], out[2 * SIZE], back[SIZE];

    data_fill((unsigned char *)in, SIZE);
    for (int i = 0; i < 20; i++) {
        int length = 1 + 130 * i * i, room = i == 9 ? 5 : (int)sizeof out,
            speed = 1 + i % 3, size;
        int made = LZ4_compress_fast(in, out, length, room, speed);

        printf("LZ4_compress_fast n=%d room=%d acceleration=%d made=%d\n", length, room,
               speed, made);
        if (made == 0)
            continue;
        size = LZ4_decompress_safe(out, back, made, i == 12 ? length - 1 : length);
        printf("LZ4_decompress_safe n=%d room=%d made=%d\n", made,
               i == 12 ? length - 1 : length, size);
        if (i != 12 && (size != length || memcmp(in, back, (size_t)length) != 0))
            exit(1);
    }
    return 0;
}
