/* SPDX-License-Identifier: BSD-3-Clause */
/* bzlib.c: calls of bzip2, each told on standard output as the records should have it. */
#include <bzlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"

enum { SIZE = 30000 };

int main(void)
{
    static char in[SIZE], out[2 * SIZE], back[SIZE];

    data_fill((unsigned char *)in, SIZE);
    for (int i = 0; i < 10; i++) {
        unsigned made = i == 7 ? 20 : sizeof out, size = SIZE,
                 length = 1 + 333u * (unsigned)i;
        int result = BZ2_bzBuffToBuffCompress(out, &made, in, length, 1 + i % 9, 0, 30);

        printf(
            "BZ2_bzBuffToBuffCompress room=%u sourceLen=%u blockSize100k=%d written=%u "
            "result=%d\n",
            i == 7 ? 20 : (unsigned)sizeof out, length, 1 + i % 9, made, result);
        if (result != BZ_OK)
            continue;
        result = BZ2_bzBuffToBuffDecompress(back, &size, out, made, i % 2, 0);
        printf("BZ2_bzBuffToBuffDecompress sourceLen=%u small=%d written=%u result=%d\n",
               made, i % 2, size, result);
        if (size != length || memcmp(in, back, length) != 0)
            exit(1);
    }
    return 0;
}
