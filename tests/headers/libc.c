/* SPDX-License-Identifier: BSD-3-Clause */
/* libc.c: calls of the C library, each told on standard output as the records should have
 * it. Its own words are kept until the end, so that writing them is no part of what is
 * measured. */
#include <errno.h>
#include <stdarg.h>

#include "data.h"
#include "libc.h"

static char words[1 << 18];
static size_t used;
static const char *sorting = "";

__attribute__((format(printf, 1, 2))) static void tell(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    used += (size_t)__builtin_vsnprintf(words + used, sizeof words - used, format, list);
    va_end(list);
}

static int compare(const void *a, const void *b)
{
    int result = strcmp(a, b);

    tell("strcmp%s result=%d\n", sorting, result);
    return result;
}

static void sort(size_t count)
{
    /* The header has an inline body of it for compilers that optimise: calls of that are
     * not seen. */
    void *(*volatile search)(const void *, const void *, size_t, size_t,
                             int (*)(const void *, const void *)) = bsearch;
    char names[64][8], *found;

    memset(names, 0, sizeof names);
    for (size_t i = 0; i < count; i++)
        names[i][0] = (char)('a' + i * 7 % 26), names[i][1] = (char)('a' + i % 26);
    sorting = " in=qsort";
    qsort(names, count, sizeof *names, compare);
    tell("qsort nmemb=%zu size=8\n", count);
    sorting = " in=bsearch";
    found = search(names[count / 2], names, count, sizeof *names, compare);
    tell("bsearch nmemb=%zu\n", count);
    if (count && found != names[count / 2])
        _exit(1);
}

static void memory(size_t size)
{
    char *p = malloc(size), *q;

    tell("malloc size=%zu\n", size);
    q = realloc(p, 2 * size);
    tell("realloc size=%zu\n", 2 * size);
    free(q);
    tell("free\n");
    free(calloc(size, 3));
    tell("calloc nmemb=%zu size=3\nfree\n", size);
}

static void files(const char *name)
{
    static unsigned char bytes[10000];
    int file = creat(name, 0600);
    ssize_t done;
    off_t end;

    tell("creat mode=384\n");
    data_fill(bytes, sizeof bytes);
    for (size_t size = 1; size < sizeof bytes; size *= 4) {
        done = write(file, bytes, size);
        tell("write n=%zu done=%zd\n", size, done);
    }
    close(file);
    tell("close result=0\n");
    done = file; /* the lowest that is free, again */
    file = open(name, O_RDWR | O_APPEND | O_CREAT, 0600);
    tell("open how=2 fd=%zd\n", done);
    close(file);
    tell("close result=0\n");
    if (file != done)
        _exit(1);
    errno = 0;
    done = write(file, bytes, 5);
    tell("write n=5 done=%zd\n", done);
    if (errno != EBADF)
        _exit(1);
    FILE *stream = fopen(name, "r");
    tell("strlen n=%d\nfopen chars=4 modes=1\n", (int)strlen(name)); /* "file" */
    file = fileno(stream);
    tell("fileno fd=%d\n", file);
    end = lseek(file, -2000, SEEK_END);
    tell("lseek offset=-2000 whence=2 end=%ld\n", (long)end);
    done = read(file, bytes, 1500);
    tell("read nbytes=1500 done=%zd\n", done);
    done = read(file, bytes, 1500);
    tell("read nbytes=1500 done=%zd\n", done);
    done = pread(file, bytes, 10, 3);
    tell("pread nbytes=10 offset=3 done=%zd\n", done);
    fclose(stream);
    tell("fclose result=0\n");
    stream = fopen("/nowhere/at/all", "r");
    tell("fopen chars=15 modes=1\n");
    if (stream)
        _exit(1);
}

static void texts(void)
{
    static const char *const numbers[] = {"12", "-5 and so on", "0x1f",
                                          "99999999999999999999", ""};

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char *end, text[20];
        int made = snprintf(text, i + 3, "%zu %.2f %s", i, i / 4.0, "abc");

        if (strncmp(text, "4 1.00 abc", i + 2) != 0 && i == 4)
            _exit(1);
        tell("snprintf room=%zu made=%d\n", i + 3, made);
        long value = strtol(numbers[i], &end, 0);

        tell("strtol base=0 value=%ld\n", value);
        tell("strtod value=%.17g\n", strtod(numbers[i], &end));
        tell("strlen n=%zu\n", strlen(numbers[i]));
        tell("abs j=%ld result=%d\n", -value % 1000, abs((int)(-value % 1000)));
        div_t parts = div((int)(value % 1000), 7); /* a struct by value */
        tell("div numer=%ld denom=7\n", value % 1000);
        if (parts.quot != value % 1000 / 7)
            _exit(1);
    }
}

int main(int argc, char **argv)
{
    static char room[BUFSIZ];

    if (argc < 2)
        return 2;
    for (size_t count = 0; count < 64; count += 9)
        sort(count);
    for (size_t size = 100000; size < 10000000; size *= 3)
        memory(size);
    files(argv[1]);
    texts();
    tell("inner malloc free realloc calloc strlen\n");
    setvbuf(stdout, room, _IOFBF, sizeof room); /* else it is made by malloc */
    return fputs(words, stdout) < 0;
}
