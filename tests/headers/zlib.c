/* SPDX-License-Identifier: BSD-3-Clause */
/* zlib.c: calls of zlib, each told on standard output as the records should have it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "data.h"

enum { SIZE = 60000 };

static unsigned char in[SIZE], out[2 * SIZE], back[SIZE];

static void at_once(uLong length, int level, uLongf room)
{
    uLongf made = room, size = SIZE;
    int result = compress2(out, &made, in, length, level);

    printf("compress2 sourceLen=%lu level=%d written=%lu result=%d\n", length, level,
           made, result);
    if (result == Z_OK) {
        result = uncompress(back, &size, out, made);
        printf("uncompress sourceLen=%lu written=%lu result=%d\n", made, size, result);
        if (size != length || memcmp(in, back, length) != 0)
            exit(1);
    }
}

/* In pieces: sizes are in a struct, and the level was given once. */
static void stream(uLong length, uInt piece, int level)
{
    z_stream strm = {0};
    uLong done = 0;
    int result;

    deflateInit(&strm, level);
    printf("deflateInit_ level=%d\n", level);
    strm.next_out = out;
    strm.avail_out = sizeof out;
    do {
        uInt now = length - done < piece ? (uInt)(length - done) : piece;
        int flush = done + now == length ? Z_FINISH : Z_NO_FLUSH;
        uInt room = strm.avail_out;

        strm.next_in = in + done;
        strm.avail_in = now;
        result = deflate(&strm, flush);
        printf("deflate n=%u room=%u level=%d flush=%d left=%u total=%lu result=%d\n",
               now, room, level, flush, strm.avail_in, strm.total_out, result);
        done += now;
    } while (result == Z_OK);
    deflateEnd(&strm);
    puts("deflateEnd");
    printf("deflate n room level flush=4 left total result=%d\n",
           deflate(NULL, Z_FINISH));
}

int main(void)
{
    uLong sum;

    data_fill(in, SIZE);
    for (int i = 0; i < 30; i++)
        at_once(1 + (uLong)i * i * 60, i % 10, i % 7 == 6 ? 10 : 2 * SIZE);
    for (int i = 1; i < 8; i++)
        stream((uLong)i * 5000, 1500, i);
    for (uInt length = 1; length < SIZE; length *= 3) {
        sum = crc32(0, in, length);
        printf("crc32 len=%u sum=%lu\n", length, sum);
    }
    sum = adler32(1, NULL, 5);
    printf("adler32 len=5 sum=%lu\ninner adler32 crc32 deflate deflateInit_ deflateEnd\n",
           sum);
    return 0;
}
