/* SPDX-License-Identifier: BSD-3-Clause */
/* png.c: calls of libpng, each told on standard output as the records should have it.
 * What it writes comes back through a callback, and so does an error, by longjmp. */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>

#include "data.h"

enum { SIDE = 96 };

static size_t written;

static void take(png_structp png, png_bytep bytes, size_t size)
{
    (void)png;
    (void)bytes;
    written += size;
}

static void flush(png_structp png)
{
    (void)png;
}

static void picture(png_uint_32 width, png_uint_32 height, int color)
{
    static unsigned char pixels[SIDE][4 * SIDE];
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_bytep rows[SIDE];

    written = 0;
    puts("png_create_write_struct");
    for (int i = 0; i < SIDE; i++)
        rows[i] = pixels[i];
    data_fill(pixels[0], sizeof pixels);
    png_set_write_fn(png, NULL, take, flush);
    puts("png_set_write_fn");
    png_set_compression_level(png, 6);
    puts("png_set_compression_level level=6");
    png_set_IHDR(png, info, width, height, 8, color, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    printf("png_set_IHDR width=%u height=%u depth=8 color=%d\n", width, height, color);
    png_write_info(png, info);
    printf("png_write_info pixels=%u\n", width * height);
    png_write_rows(png, rows, height / 2);
    printf("png_write_rows num_rows=%u\n", height / 2);
    for (png_uint_32 i = height / 2; i < height; i++) {
        png_write_row(png, rows[i]);
        puts("png_write_row");
    }
    png_write_end(png, NULL);
    puts("png_write_end");
    png_destroy_write_struct(&png, &info);
    printf("png_get_uint_32 value=%u\n",
           (png_get_uint_32)(pixels[0])); /* not the macro */
    if (written < 60)
        exit(1);
}

int main(void)
{
    for (png_uint_32 side = 1; side < SIDE; side += 9)
        picture(side, SIDE - side, side % 2 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY);
    puts("inner png_set_write_fn png_write_row png_write_info png_set_IHDR "
         "png_get_uint_32");
    return 0;
}
