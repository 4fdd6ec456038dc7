/* SPDX-License-Identifier: BSD-3-Clause */
/* property.c: read a property file. */
#include "properties/words/property.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/nearest.h"

enum {
    MOST_BYTES = 64 * 1024,
    MOST_LINES = 1000,
    MOST_NAME = 64,
    MOST_LIST = 64,
    SHOWN = 60
};

const char *const mm_property_objects[MM_FOR_COUNT] = {
    "summary", "region", "experiments", "messages", "collectives", "properties"};

struct reading {
    struct mm_property *property;
    const char *at, *end; /* the input that has not been read yet */
    int line;             /* number of the line read last */
    struct cca_error *err;
};

/* --- Refusing ----------------------------------------------------------- */

/* A value quoted in a message: short, and without control characters. */
static const char *shown(const char *text, char out[SHOWN + 4])
{
    size_t i = 0;

    for (; text[i] && i < SHOWN; i++)
        out[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7f ? '?' : text[i];
    strcpy(out + i, text[i] ? "..." : "");
    return out;
}

static int refuse(const struct reading *r, int line, const char *found,
                  const char *expected)
{
    char text[SHOWN + 4];

    return cca_error_set(r->err, -EBADMSG, "%s:%d: found '%s', expected %s",
                         r->property->path, line, shown(found, text), expected);
}

/* --- Values ------------------------------------------------------------- */

static int is_name(const char *text)
{
    size_t length = strlen(text);

    if (!length || length > MOST_NAME || !isalpha((unsigned char)*text))
        return 0;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return 0;
    return 1;
}

/* Index of a word in a list; -1 after refusing it. */
static int word_of(const struct reading *r, const char *text, int line,
                   const char *const *words, int count)
{
    char expected[160] = "";

    for (int i = 0; i < count; i++) {
        if (strcmp(words[i], text) == 0)
            return i;
        snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%s%s",
                 i == 0           ? ""
                 : i == count - 1 ? " or "
                                  : ", ",
                 words[i]);
    }
    refuse(r, line, text, expected);
    return -1;
}

/* The next part of a list with commas, without blanks around it; NULL: there is none. */
static char *next_part(char **rest)
{
    char *part = *rest, *comma;

    if (!part)
        return NULL;
    comma = strchr(part, ',');
    if (comma)
        *comma = '\0';
    *rest = comma ? comma + 1 : NULL;
    part += strspn(part, " \t");
    for (size_t n = strlen(part); n && strchr(" \t", part[n - 1]); n--)
        part[n - 1] = '\0';
    return part;
}

static int read_names(const struct reading *r, char *value, int line, char ***names,
                      size_t *count)
{
    char *part;

    while ((part = next_part(&value))) {
        char **name;

        if (!is_name(part))
            return refuse(r, line, part, "the name of a property");
        if (*count == MOST_LIST)
            return refuse(r, line, part, "at most 64 names");
        name = cca_array_add(names, count, sizeof *name);
        if (!name || !(*name = strdup(part)))
            return -ENOMEM;
    }
    return 0;
}

static int read_params(const struct reading *r, char *value, int line)
{
    struct mm_property *p = r->property;
    char *part;

    while ((part = next_part(&value))) {
        char *equals = strchr(part, '='), *end, *name = part;
        struct mm_property_param *param;
        double number;

        if (!equals)
            return refuse(r, line, part, "name=number");
        *equals++ = '\0';
        name[strcspn(name, " \t")] = '\0';
        equals += strspn(equals, " \t");
        number = strtod(equals, &end);
        if (!is_name(name))
            return refuse(r, line, name, "a name of letters, digits and _");
        if (end == equals || *end || !isfinite(number))
            return refuse(r, line, equals, "a number");
        for (size_t i = 0; i < p->param_count; i++)
            if (strcmp(p->params[i].name, name) == 0)
                return refuse(r, line, name, "each parameter once");
        if (p->param_count == MOST_LIST)
            return refuse(r, line, name, "at most 64 parameters");
        param = cca_array_add(&p->params, &p->param_count, sizeof *param);
        if (!param || !(param->name = strdup(name)))
            return -ENOMEM;
        param->value = number;
    }
    return 0;
}

/* --- Keys --------------------------------------------------------------- */

enum key {
    NAME,
    DOC,
    FOR,
    BASIS,
    WHERE,
    PARAMS,
    SEVERITY,
    HOLDS,
    CONFIDENCE,
    OF,
    BY,
    OVER,
    BECAUSE,
    ASK,
    KEYS
};
static const char *const keys[KEYS] = {
    "name",  "doc",        "for", "basis", "where", "params",  "severity",
    "holds", "confidence", "of",  "by",    "over",  "because", "ask"};

/* The member of a property for a key that is kept as text; NULL: another kind of key. */
static struct mm_property_text *text_of(struct mm_property *p, enum key key)
{
    switch (key) {
    case NAME:
        return &p->name;
    case DOC:
        return &p->doc;
    case WHERE:
        return &p->where;
    case SEVERITY:
        return &p->severity;
    case HOLDS:
        return &p->holds;
    case CONFIDENCE:
        return &p->confidence;
    default:
        return NULL;
    }
}

/* Read a word of a fixed list as a number. */
static int read_word(const struct reading *r, enum key key, const char *value, int line)
{
    static const char *const bases[] = {"unit", "slowest"},
                             *const bys[] = {"region", "set"},
                             *const overs[] = {"all", "holding"},
                             *const asks[] = {"always", "named"};
    struct mm_property *p = r->property;
    int found = key == FOR ? word_of(r, value, line, mm_property_objects, MM_FOR_COUNT)
                : key == BASIS ? word_of(r, value, line, bases, 2)
                : key == BY    ? word_of(r, value, line, bys, 2)
                : key == ASK   ? word_of(r, value, line, asks, 2)
                               : word_of(r, value, line, overs, 2);

    if (found < 0)
        return -EBADMSG;
    if (key == FOR) {
        p->object = (enum mm_property_for)found;
        p->for_line = line;
    } else if (key == BASIS) {
        p->basis = (enum mm_property_basis)found;
    } else if (key == BY) {
        p->by = (enum mm_property_by)found;
    } else if (key == ASK) {
        p->only_named = found;
    } else {
        p->over_holding = found;
    }
    return 0;
}

/* Store the value of a key in the property; `value` is modified. */
static int take(const struct reading *r, enum key key, char *value, int line)
{
    struct mm_property *p = r->property;
    struct mm_property_text *text = text_of(p, key);

    if (!*value)
        return refuse(r, line, keys[key], "a value behind it");
    if (key == NAME && !is_name(value))
        return refuse(r, line, value, "a name of letters, digits and _, at most 64");
    if (text) {
        text->line = line;
        return (text->text = strdup(value)) ? 0 : -ENOMEM;
    }
    if (key == PARAMS)
        return read_params(r, value, line);
    if (key == OF) {
        p->of_line = line;
        return read_names(r, value, line, &p->of, &p->of_count);
    }
    if (key == BECAUSE)
        return read_names(r, value, line, &p->because, &p->because_count);
    return read_word(r, key, value, line);
}

/* --- Lines -------------------------------------------------------------- */

/* The next line without its newline, NULL: none; invalid bytes are refused. */
static int next_line(struct reading *r, const char **line, size_t *length)
{
    const char *newline;

    *line = NULL;
    if (r->at == r->end)
        return 0;
    newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    *line = r->at;
    *length = (size_t)((newline ? newline : r->end) - r->at);
    r->at = newline ? newline + 1 : r->end;
    if (++r->line > MOST_LINES)
        return refuse(r, r->line, "more lines", "at most 1000");
    if (*length && (*line)[*length - 1] == '\r')
        --*length;
    for (size_t i = 0; i < *length; i++)
        if (((unsigned char)(*line)[i] < ' ' && (*line)[i] != '\t') || (*line)[i] == 0x7f)
            return refuse(r, r->line, "a byte that is no text", "text");
    return 0;
}

/* A new copy of a text without blanks at both ends. */
static char *trimmed(const char *text, size_t length)
{
    while (length && strchr(" \t", *text)) {
        text++;
        length--;
    }
    while (length && strchr(" \t", text[length - 1]))
        length--;
    return strndup(text, length);
}

/* Append continuation lines to the value. Returns 0 or a negative errno. */
static int add_rest(struct reading *r, char **value)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t')) {
        const char *line;
        size_t length, old = strlen(*value);
        char *part, *longer;
        int result = next_line(r, &line, &length);

        if (result)
            return result;
        part = trimmed(line, length);
        longer = part ? realloc(*value, old + strlen(part) + 2) : NULL;
        if (longer) {
            *value = longer;
            sprintf(longer + old, "%s%s", *part ? " " : "", part);
        }
        free(part);
        if (!longer)
            return -ENOMEM;
    }
    return 0;
}

/* The key of a line; KEYS after refusing it. */
static enum key find_key(const struct reading *r, const char *line, size_t length,
                         const char **colon)
{
    char word[SHOWN + 1], expected[120];
    struct cca_nearest nearest;
    size_t n;

    *colon = memchr(line, ':', length);
    n = *colon ? (size_t)(*colon - line) : length;
    snprintf(word, sizeof word, "%.*s", (int)(n < SHOWN ? n : SHOWN), line);
    for (int i = 0; *colon && i < KEYS; i++)
        if (strcmp(word, keys[i]) == 0)
            return (enum key)i;
    cca_nearest_init(&nearest, word);
    for (int i = 0; i < KEYS && *colon; i++)
        cca_nearest_offer(&nearest, keys[i]);
    if (nearest.best)
        snprintf(expected, sizeof expected, "'%s:'", nearest.best);
    else
        snprintf(expected, sizeof expected,
                 "'key: value', a key being name, doc, for, severity or another");
    refuse(r, r->line, word, expected);
    return KEYS;
}

static int read_keys(struct reading *r)
{
    int seen[KEYS] = {0}, result = 0;

    while (!result) {
        const char *line, *colon;
        size_t length;
        enum key key;
        char *value;
        int first;

        result = next_line(r, &line, &length);
        if (result || !line)
            break;
        if (!length || *line == '#' || strspn(line, " \t") >= length)
            continue;
        if (*line == ' ' || *line == '\t')
            return refuse(r, r->line, "a line that goes on", "a key before it");
        key = find_key(r, line, length, &colon);
        if (key == KEYS)
            return -EBADMSG;
        first = r->line;
        if (seen[key])
            return refuse(r, first, keys[key], "each key once");
        seen[key] = 1;
        value = trimmed(colon + 1, (size_t)(line + length - colon - 1));
        result = value ? add_rest(r, &value) : -ENOMEM;
        if (!result)
            result = take(r, key, value, first);
        free(value);
    }
    for (int i = 0; i < KEYS && !result; i++)
        if (!seen[i] && (i == NAME || i == DOC || i == FOR || i == SEVERITY))
            result =
                cca_error_set(r->err, -EBADMSG, "%s:%d: found no '%s:', expected one",
                              r->property->path, r->line ? r->line : 1, keys[i]);
    if (!result && (r->property->object == MM_FOR_PROPERTIES) != (seen[OF] != 0))
        result = cca_error_set(
            r->err, -EBADMSG,
            "%s:%d: found %s 'of:', expected it with 'for: properties' alone",
            r->property->path, r->property->for_line, seen[OF] ? "an" : "no");
    return result;
}

int mm_property_parse(struct mm_property **property, const char *path, const char *bytes,
                      size_t size, struct cca_error *err)
{
    struct mm_property *p = calloc(1, sizeof *p);
    struct reading r = {p, bytes, bytes + size, 0, err};
    int result;

    *property = NULL;
    if (!p || !(p->path = strdup(path))) {
        free(p);
        return cca_no_memory(err);
    }
    result = size > MOST_BYTES ? refuse(&r, 1, "a larger file", "at most 64 KiB")
                               : read_keys(&r);
    if (result == -ENOMEM)
        cca_no_memory(err);
    if (result)
        mm_property_free(p);
    else
        *property = p;
    return result;
}

int mm_property_read(struct mm_property **property, const char *path,
                     struct cca_error *err)
{
    char *bytes = malloc(MOST_BYTES + 1);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), result;
    size_t size = 0;
    ssize_t got = 1;

    *property = NULL;
    if (!bytes)
        result = cca_no_memory(err);
    else if (fd < 0)
        result = cca_error_set(err, errno == ENOENT ? -ENOENT : -EIO, "%s: %s", path,
                               strerror(errno));
    else {
        while (size <= MOST_BYTES &&
               ((got = read(fd, bytes + size, MOST_BYTES + 1 - size)) > 0 ||
                (got < 0 && errno == EINTR)))
            size += got > 0 ? (size_t)got : 0;
        result = got < 0 ? cca_error_set(err, -EIO, "%s: %s", path, strerror(errno))
                         : mm_property_parse(property, path, bytes, size, err);
    }
    if (fd >= 0)
        close(fd);
    free(bytes);
    return result;
}

void mm_property_free(struct mm_property *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->param_count; i++)
        free(p->params[i].name);
    for (size_t i = 0; i < p->of_count; i++)
        free(p->of[i]);
    for (size_t i = 0; i < p->because_count; i++)
        free(p->because[i]);
    for (enum key key = 0; key < KEYS; key++)
        if (text_of(p, key))
            free(text_of(p, key)->text);
    if (p->code)
        p->code->free(p->code);
    free(p->params);
    free(p->of);
    free(p->because);
    free(p->path);
    free(p);
}
