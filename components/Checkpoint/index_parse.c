/* SPDX-License-Identifier: BSD-3-Clause */
/* index_parse.c: parse the text of an index line by line. The text may be damaged or
 * hostile: a number is used only after its range is checked, and memory is allocated only
 * for as many patches as the text can contain. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "components/Checkpoint/index.h"
#include "components/Checkpoint/parts.h"

enum {
    PATCH_LINE_LEAST = sizeof "patch 0 0 0 1 1 0 0",
    CHECKSUM_LINE = sizeof "checksum 01234567",
    RATIO_MOST = 16,
    NUMBERS_MOST = 8, /* largest number of numbers in a line */
};

struct parser {
    const char *path;
    const char *at, *end; /* the unread text */
    int line;
    const char *begin; /* begin of the current line */
    locale_t locale;
    struct cca_error *err;
};

/* Report that the current line differs from `expected`. */
static int line_refuse(struct parser *p, const char *expected)
{
    char found[48];
    size_t n = 0;

    while (n + 1 < sizeof found && p->begin + n < p->end && p->begin[n] != '\n') {
        found[n] = isprint((unsigned char)p->begin[n]) ? p->begin[n] : '?';
        n++;
    }
    found[n] = '\0';
    return cca_error_set(p->err, -EBADMSG, "'%s':%d: found '%s', expected %s", p->path,
                         p->line, found, expected);
}

/* --- Lines ----------------------------------------------------------------- */

/* Read a blank and a word into `word`, which has room for 64 bytes. Returns `word`; NULL:
 * there is none. */
static char *word_read(const char **at, const char *end, char *word)
{
    size_t n = 0;

    if (*at == end || **at != ' ')
        return NULL;
    ++*at;
    while (*at < end && **at != ' ' && n < 63)
        word[n++] = *(*at)++;
    word[n] = '\0';
    return n && (*at == end || **at == ' ') ? word : NULL;
}

static int whole_read(const char *word, int64_t *value)
{
    size_t digits = strspn(word + (*word == '-'), "0123456789");
    char *end;

    if (!digits || word[digits + (*word == '-')])
        return -EBADMSG;
    errno = 0;
    *value = strtoll(word, &end, 10);
    return errno ? -EBADMSG : 0;
}

static int real_read(const struct parser *p, const char *word, double *value)
{
    char *end;

    if (isspace((unsigned char)*word))
        return -EBADMSG;
    *value = strtod_l(word, &end, p->locale);
    return *end || isnan(*value) ? -EBADMSG : 0;
}

/* Read the next line, which has the word `key` and `count` numbers: whole numbers if
 * `whole` is not NULL, else doubles. */
static int line_read(struct parser *p, const char *key, int count, int64_t *whole,
                     double *real, const char *expected)
{
    const char *at = p->at, *end = memchr(at, '\n', (size_t)(p->end - at));
    size_t length = strlen(key);
    char word[64];
    int code = 0;

    p->begin = at;
    p->line++;
    if (!end || (size_t)(end - at) < length || memcmp(at, key, length) != 0)
        return line_refuse(p, expected);
    at += length;
    for (int n = 0; n < count && !code; n++)
        code = !word_read(&at, end, word) ? -EBADMSG
               : whole                    ? whole_read(word, &whole[n])
                                          : real_read(p, word, &real[n]);
    if (code || at != end)
        return line_refuse(p, expected);
    p->at = end + 1;
    return 0;
}

static int wholes_read(struct parser *p, const char *key, int count, int64_t *values,
                       const char *expected)
{
    return line_read(p, key, count, values, NULL, expected);
}

static int reals_read(struct parser *p, const char *key, int count, double *values,
                      const char *expected)
{
    return line_read(p, key, count, NULL, values, expected);
}

/* Read a line with the word `key` and one whole number in a range. */
static int number_read(struct parser *p, const char *key, int64_t least, int64_t most,
                       int64_t *value, const char *expected)
{
    int code = wholes_read(p, key, 1, value, expected);

    if (!code && (*value < least || *value > most))
        code = line_refuse(p, expected);
    return code;
}

/* --- Parts of the text ----------------------------------------------------- */

/* Check the first line and the last one: version and checksum. */
static int frame_check(struct parser *p)
{
    const char *text = p->at;
    size_t size = (size_t)(p->end - p->at);
    char expected[CHECKSUM_LINE + 1];
    int64_t version;
    int code = number_read(p, "checkpoint", 1, 1, &version,
                           "'checkpoint 1', the version of this program");

    if (code)
        return code;
    if (size < CHECKSUM_LINE)
        return cca_error_set(p->err, -EBADMSG,
                             "'%s': found no checksum at the end of %zu bytes", p->path,
                             size);
    size -= CHECKSUM_LINE;
    snprintf(expected, sizeof expected, "checksum %08" PRIx32 "\n",
             checksum_add(0, text, size));
    if (memcmp(text + size, "checksum ", strlen("checksum ")) != 0)
        return cca_error_set(p->err, -EBADMSG,
                             "'%s': found no checksum at the end of %zu bytes", p->path,
                             size + CHECKSUM_LINE);
    if (memcmp(text + size, expected, CHECKSUM_LINE) != 0)
        return cca_error_set(p->err, -EBADMSG,
                             "'%s': found another checksum than that of %zu bytes, "
                             "expected %.8s",
                             p->path, size, expected + strlen("checksum "));
    p->end -= CHECKSUM_LINE;
    return 0;
}

static int moment_parse(struct parser *p, struct checkpoint_moment *m)
{
    int code = number_read(p, "step", 0, INT64_MAX, &m->step, "'step' and a number");

    if (!code)
        code = reals_read(p, "time", 1, &m->time_s, "'time' and a double");
    if (!code && !isfinite(m->time_s))
        code = line_refuse(p, "a finite time");
    if (!code)
        code = reals_read(p, "least", 1, &m->least_dt_s, "'least' and a double");
    if (!code && m->least_dt_s < 0.)
        code = line_refuse(p, "a step that is not negative");
    if (!code)
        code = wholes_read(p, "updates", MESH_LEVELS, m->updates,
                           "'updates' and eight numbers");
    for (int l = 0; l < MESH_LEVELS && !code; l++)
        if (m->updates[l] < 0)
            code = line_refuse(p, "numbers that are not negative");
    return code;
}

static int domain_parse(struct parser *p, struct mesh_domain *d)
{
    double sides[4];
    int64_t cells[2], periodic[2];
    int code = reals_read(p, "domain", 4, sides, "'domain' and four doubles");

    if (!code)
        code = wholes_read(p, "cells", 2, cells, "'cells' and two numbers");
    if (!code && (cells[0] < 1 || cells[1] < 1))
        code = line_refuse(p, "one cell at least");
    if (!code)
        code = wholes_read(p, "periodic", 2, periodic, "'periodic' and two numbers");
    if (!code && (periodic[0] >> 1 || periodic[1] >> 1))
        code = line_refuse(p, "0 or 1");
    if (!code)
        *d = (struct mesh_domain){sides[0], sides[1], sides[2],         sides[3],
                                  cells[0], cells[1], (int)periodic[0], (int)periodic[1]};
    return code;
}

/* Parse one patch of a level of nx x ny cells. */
static int patch_parse(struct parser *p, struct index *x, int level, int64_t nx,
                       int64_t ny)
{
    struct index_patch *patch = &x->patches[x->first[level + 1]];
    int64_t v[7], bytes;
    int code = wholes_read(p, "patch", 7, v, "'patch' and seven numbers");

    if (code)
        return code;
    if (v[0] != level)
        return line_refuse(p, "a patch of the level above");
    if (v[3] < 1 || v[4] < 1 || v[1] < 0 || v[2] < 0 || v[3] > nx || v[4] > ny ||
        v[1] > nx - v[3] || v[2] > ny - v[4])
        return line_refuse(p, "a patch inside the level");
    if (v[5] < 0 || v[5] >= x->file_count)
        return line_refuse(p, "one of the files");
    bytes = values_record_bytes(x->components, v[3], v[4]);
    if (bytes < 0 || v[6] != x->file_bytes[v[5]] || v[6] > INT64_MAX - bytes)
        return line_refuse(p, "a record that begins where the one before ends");
    *patch = (struct index_patch){v[1], v[2], v[3], v[4], (int)v[5], v[6]};
    x->file_bytes[v[5]] += bytes;
    x->first[level + 1]++;
    return 0;
}

static int level_parse(struct parser *p, struct index *x, int level, int64_t *nx,
                       int64_t *ny)
{
    struct index_patch *more;
    int64_t v[3];
    int code = wholes_read(p, "level", 3, v, "'level' and three numbers");

    if (code)
        return code;
    if (v[0] != level || v[1] < 1 || v[1] > (level ? RATIO_MOST : 1) ||
        __builtin_mul_overflow(*nx, v[1], nx) || __builtin_mul_overflow(*ny, v[1], ny))
        return line_refuse(p, "the levels in their order, finer by 1 to 16");
    if (v[2] < 1 || v[2] > (p->end - p->at) / PATCH_LINE_LEAST)
        return line_refuse(p, "as many patches as there are lines");
    more = realloc(x->patches, (size_t)(x->first[level] + v[2]) * sizeof *more);
    if (!more)
        return cca_no_memory(p->err);
    x->patches = more;
    x->ratio[level] = (int)v[1];
    x->first[level + 1] = x->first[level];
    for (int64_t k = 0; k < v[2] && !code; k++)
        code = patch_parse(p, x, level, *nx, *ny);
    return code;
}

static int levels_parse(struct parser *p, struct index *x)
{
    int64_t nx = x->domain.nx, ny = x->domain.ny, levels;
    int code = number_read(p, "levels", 1, MESH_LEVELS, &levels,
                           "'levels' and a number from 1 to 8");

    for (int l = 0; !code && l < levels; l++) {
        code = level_parse(p, x, l, &nx, &ny);
        x->level_count = l + 1;
    }
    if (!code && p->at != p->end) {
        p->begin = p->at;
        p->line++;
        code = line_refuse(p, "the checksum");
    }
    return code;
}

static int body_parse(struct parser *p, struct index *x)
{
    int64_t most = 1, files, components;
    int code;

    for (int k = 0; k < INDEX_SERIAL_DIGITS; k++)
        most *= 10;
    code = number_read(p, "serial", 1, most - 1, &x->serial, "'serial' and a number");
    if (!code)
        code = number_read(p, "files", 1, INDEX_FILES_MAX, &files,
                           "'files' and a number from 1 to 1048576");
    if (!code)
        code = moment_parse(p, &x->moment);
    if (!code)
        code = domain_parse(p, &x->domain);
    if (!code)
        code = number_read(p, "components", 1, 64, &components,
                           "'components' and a number from 1 to 64");
    if (code)
        return code;
    x->components = (int)components;
    x->file_count = (int)files;
    x->file_bytes = calloc((size_t)files, sizeof *x->file_bytes);
    if (!x->file_bytes)
        return cca_no_memory(p->err);
    for (int64_t k = 0; k < files; k++)
        x->file_bytes[k] = VALUES_HEAD_BYTES;
    return levels_parse(p, x);
}

int index_parse(struct index *x, const char *text, size_t size, const char *path,
                struct cca_error *err)
{
    struct parser p = {
        .path = path,
        .at = text,
        .end = text + size,
        .locale = newlocale(LC_ALL_MASK, "C", (locale_t)0),
        .err = err,
    };
    int code = p.locale ? frame_check(&p) : cca_no_memory(err);

    if (!code)
        code = body_parse(&p, x);
    if (p.locale)
        freelocale(p.locale);
    return code;
}
