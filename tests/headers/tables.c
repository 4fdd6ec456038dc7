/* SPDX-License-Identifier: BSD-3-Clause */
/* tables.c: libraries that are given tables of functions: an allocator, the methods of a
 * stream, a function with its context. The tables inside tell each call as the records
 * should have it. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "tables_tables.h"

static char words[1 << 20];
static size_t used;

__attribute__((format(printf, 1, 2))) static void tell(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    used += (size_t)vsnprintf(words + used, sizeof words - used, format, list);
    va_end(list);
}

/* --- An allocator --------------------------------------------------------- */

static void *allocate(size_t size)
{
    tell("malloc_fcn size=%zu\n", size);
    return malloc(size);
}

static void *change(void *p, size_t size)
{
    tell("realloc_fcn size=%zu\n", size);
    return realloc(p, size);
}

static void release(void *p)
{
    tell("free_fcn\n");
    free(p);
}

static int parse(void)
{
    static const XML_Memory_Handling_Suite own = {allocate, change, release};
    static const char text[] =
        "<a long='enough'><b><c>text</c></b><d x='1' y='2' z='3'/></a>";
    XML_Parser parser =
        XML_ParserCreate_MM(NULL, XML_Memory_Handling_Suite_wrap(&own, "heap"), NULL);

    if (XML_Parse(parser, text, sizeof text - 1, 1) != XML_STATUS_OK)
        return 0;
    XML_ParserFree(parser);
    return used > 0;
}

/* --- A stream ------------------------------------------------------------- */

static char kept[100000];
static size_t length, at;

static ssize_t take(void *cookie, const char *bytes, size_t size)
{
    (void)cookie;
    memcpy(kept + length, bytes, size);
    length += size;
    tell("write n=%zu done=%zu\n", size, size);
    return (ssize_t)size;
}

static ssize_t give(void *cookie, char *bytes, size_t size)
{
    size_t now = length - at < size ? length - at : size;

    (void)cookie;
    memcpy(bytes, kept + at, now);
    at += now;
    tell("read n=%zu done=%zu\n", size, now);
    return (ssize_t)now;
}

static int done(void *cookie)
{
    (void)cookie;
    tell("close result=0\n");
    return 0;
}

static int stream(void)
{
    static const cookie_io_functions_t own = {.read = give, .write = take, .close = done};
    static unsigned char bytes[50000], back[50000];
    FILE *file = fopencookie(NULL, "w", *cookie_io_functions_t_wrap(&own, "file"));

    data_fill(bytes, sizeof bytes);
    for (size_t size = 1; size < 15000; size *= 3)
        fwrite(bytes, 1, size, file);
    fclose(file);
    file = fopencookie(NULL, "r", *cookie_io_functions_t_wrap(&own, "file"));
    if (fread(back, 1, length, file) != length || fclose(file) != 0)
        return 0;
    return memcmp(back, kept, length) == 0;
}

/* --- A function with its context ------------------------------------------ */

static double power(double x, void *exponent)
{
    double value = 1;

    for (int i = 0; i < *(int *)exponent; i++)
        value *= x;
    tell("function x=%.17g value=%.17g\n", x, value);
    return value;
}

static int integrate(void)
{
    for (int i = 0; i < 5; i++) {
        gsl_function own = {power, &i};
        double result, error, wanted = 1.0 / (i + 1);
        size_t calls;

        gsl_integration_qng(gsl_function_wrap(&own, "integrand"), 0, 1, 1e-9, 1e-9,
                            &result, &error, &calls);
        if (result < wanted - 1e-9 || result > wanted + 1e-9)
            return 0;
    }
    return 1;
}

int main(void)
{
    int right = parse() && stream() && integrate();

    fputs(words, stdout);
    return !right;
}
