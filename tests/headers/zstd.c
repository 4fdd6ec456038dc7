/* SPDX-License-Identifier: BSD-3-Clause */
/* zstd.c: calls of zstd, each told on standard output as the records should have it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "data.h"

enum { SIZE = 50000 };

int main(void)
{
    static unsigned char in[SIZE], out[2 * SIZE], back[SIZE];

    data_fill(in, SIZE);
    for (int i = 0; i < 16; i++) {
        size_t length = 1 + 200 * (size_t)(i * i), room = i == 5 ? 10 : sizeof out, size;
        int level = i % 5 - 1;
        size_t made = ZSTD_compress(out, room, in, length, level);
        unsigned wrong = ZSTD_isError(made);

        /* Errors are sizes near the largest there is; records have them as int64_t. */
        printf("ZSTD_compress n=%zu room=%zu level=%d made=%lld\n", length, room, level,
               (long long)made);
        printf("ZSTD_isError is=%u\n", wrong);
        if (wrong)
            continue;
        size = ZSTD_decompress(back, SIZE, out, made);
        printf("ZSTD_decompress n=%zu made=%zu\n", made, size);
        if (size != length || memcmp(in, back, length) != 0)
            exit(1);
    }
    return 0;
}
