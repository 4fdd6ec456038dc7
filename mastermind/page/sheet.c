/* SPDX-License-Identifier: BSD-3-Clause */
/* sheet.c: write the page: the bundle up to the mark, the document, the rest of the
 * bundle. */
#include "mastermind/page/sheet.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/file.h"

/* Callback of json_dump_callback. The character `<` is escaped, so that the document
 * cannot bring `</script` or `<!--` into the page. JSON has `<` only in strings. */
static int write_safely(const char *text, size_t size, void *to)
{
    while (size) {
        const char *found = memchr(text, '<', size);
        size_t plain = found ? (size_t)(found - text) : size;

        if (fwrite(text, 1, plain, to) != plain || (found && fputs("\\u003c", to) == EOF))
            return -1;
        text += plain + (found != NULL);
        size -= plain + (found != NULL);
    }
    return 0;
}

static int write_page(FILE *to, const char *bundle, const char *mark,
                      const json_t *document)
{
    size_t before = (size_t)(mark - bundle);
    int failed = fwrite(bundle, 1, before, to) != before;

    failed = failed || json_dump_callback(document, write_safely, to,
                                          JSON_COMPACT | JSON_REAL_PRECISION(9));
    failed = failed || fputs(mark + strlen(MM_PAGE_MARK), to) == EOF;
    return fflush(to) || ferror(to) || failed;
}

/* Close the incomplete file of a page, and remove it if it is a regular file. */
static void discard(FILE *file, const char *path)
{
    struct stat about;
    int is_file = fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode);

    fclose(file);
    if (is_file)
        unlink(path);
}

static int write_file(const char *path, const char *bundle, const char *mark,
                      const json_t *document, struct cca_error *err)
{
    int is_stdout = strcmp(path, "-") == 0;
    FILE *to = is_stdout ? stdout : fopen(path, "we");

    if (!to)
        return cca_error_set(err, -EIO, "cannot write '%.400s': %s", path,
                             strerror(errno));
    if (write_page(to, bundle, mark, document)) {
        cca_error_set(err, -EIO, "cannot write '%.400s': %s", path, strerror(errno));
        if (!is_stdout)
            discard(to, path);
        return err->code;
    }
    if (!is_stdout && fclose(to))
        return cca_error_set(err, -EIO, "cannot write '%.400s': %s", path,
                             strerror(errno));
    return 0;
}

int mm_page_write(const char *bundle, const json_t *document, const char *path,
                  struct cca_error *err)
{
    char *text = NULL;
    size_t size;
    int result = cca_file_read(bundle, SIZE_MAX / 4, &text, &size);
    const char *mark = text ? strstr(text, MM_PAGE_MARK) : NULL;

    if (result)
        result = cca_error_set(err, -EIO, "cannot read the page's bundle '%.400s': %s",
                               bundle, strerror(-result));
    else if (!mark || strstr(mark + 1, MM_PAGE_MARK))
        result = cca_error_set(err, -EBADMSG, "%.400s: found %s mark '%s', expected one",
                               bundle, mark ? "more than one" : "no", MM_PAGE_MARK);
    if (!result)
        result = write_file(path, text, mark, document, err);
    free(text);
    return result;
}
