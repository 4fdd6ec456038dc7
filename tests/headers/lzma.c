/* SPDX-License-Identifier: BSD-3-Clause */
/* lzma.c: calls of liblzma, each told on standard output as the records should have it.
 */
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"

enum { SIZE = 20000 };

int main(void)
{
    static uint8_t in[SIZE], out[2 * SIZE], back[SIZE];

    data_fill(in, SIZE);
    for (unsigned i = 0; i < 6; i++) {
        size_t made = 0, length = 100 + 3000 * i, read = 0, got = 0;
        lzma_check check = i % 2 ? LZMA_CHECK_CRC32 : LZMA_CHECK_CRC64;
        uint64_t limit = UINT64_C(1) << 30;
        lzma_ret result = lzma_easy_buffer_encode(i % 3, check, NULL, in, length, out,
                                                  &made, i == 4 ? 30 : sizeof out);

        printf("lzma_easy_buffer_encode preset=%u check=%d in_size=%zu out_size=%zu "
               "written=%zu "
               "result=%d\n",
               i % 3, (int)check, length, i == 4 ? 30 : sizeof out, made, (int)result);
        if (result != LZMA_OK)
            continue;
        result = lzma_stream_buffer_decode(&limit, 0, NULL, out, &read, made, back, &got,
                                           SIZE);
        printf("lzma_stream_buffer_decode in_size=%zu limit=%llu read=%zu written=%zu "
               "result=%d\n",
               made, 1ull << 30, read, got, (int)result);
        if (got != length || memcmp(in, back, length) != 0)
            exit(1);
    }
    return 0;
}
