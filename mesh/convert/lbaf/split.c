/* SPDX-License-Identifier: BSD-3-Clause */
/* split.c: find the ends of JSON values by strings and brackets alone. */
#include "mesh/convert/lbaf/parts.h"

#include <string.h>

static size_t skip_blanks(const char *text, size_t size, size_t at)
{
    while (at < size && memchr(" \t\r\n", text[at], 4))
        at++;
    return at;
}

/* Return the offset after the string that begins at `at`; `size` if the string does not
 * end.
 */
static size_t skip_string(const char *text, size_t size, size_t at)
{
    for (at++; at < size; at++) {
        if (text[at] == '"')
            return at + 1;
        at += text[at] == '\\';
    }
    return size;
}

/* Return the offset after the value that begins at `at`: of the comma or bracket that
 * follows it. */
static size_t skip_value(const char *text, size_t size, size_t at)
{
    size_t depth = 0;

    while (at < size) {
        char c = text[at];

        if (c == '"') {
            at = skip_string(text, size, at);
            continue;
        }
        if (depth == 0 && (c == ',' || c == ']' || c == '}'))
            return at;
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        at++;
    }
    return size;
}

/* Parse the member at split->at. Returns 1: another one follows; 0: it was the last; -1:
 * not JSON. */
static int take_member(struct mesh_lbaf_split *split, int *found)
{
    static const char wanted[] = "\"phases\"";
    size_t at = skip_blanks(split->text, split->size, split->at), key = at, value;

    if (at >= split->size || split->text[at] != '"')
        return -1;
    at = skip_blanks(split->text, split->size, skip_string(split->text, split->size, at));
    if (at >= split->size || split->text[at] != ':')
        return -1;
    value = skip_blanks(split->text, split->size, at + 1);
    at = skip_value(split->text, split->size, value);
    if (at >= split->size || (split->text[at] != ',' && split->text[at] != '}'))
        return -1;
    if (split->size - key > sizeof wanted &&
        memcmp(split->text + key, wanted, sizeof wanted - 1) == 0) {
        if (split->text[value] != '[')
            return -1;
        ++*found;
        split->first = value;
        split->end = at;
        while (split->end > value + 1 && split->text[split->end - 1] != ']')
            split->end--;
        if (split->end == value + 1)
            return -1;
    }
    split->at = at + 1;
    return split->text[at] == ',';
}

int mesh_lbaf_split(const char *text, size_t size, struct mesh_lbaf_split *split)
{
    int found = 0, more = 1;

    memset(split, 0, sizeof *split);
    split->text = text;
    split->size = size;
    split->at = skip_blanks(text, size, 0);
    if (split->at >= size || text[split->at++] != '{')
        return 0;
    while (more > 0)
        more = take_member(split, &found);
    if (more < 0 || found != 1)
        return 0;
    split->at = split->first + 1;
    /* an empty array has no items to take */
    if (skip_blanks(text, size, split->at) == split->end - 1)
        split->at = split->end;
    return 1;
}

int mesh_lbaf_split_next(struct mesh_lbaf_split *split, const char **item, size_t *length,
                         size_t *line)
{
    size_t from, to;

    if (split->at >= split->end)
        return 0;
    from = skip_blanks(split->text, split->end, split->at);
    to = skip_value(split->text, split->end, from);
    for (; split->counted < from; split->counted++)
        split->line += split->text[split->counted] == '\n';
    *item = split->text + from;
    *length = to - from;
    *line = split->line;
    split->at = to + 1;
    return 1;
}
