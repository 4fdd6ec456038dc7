/* SPDX-License-Identifier: BSD-3-Clause */
/* svg_text.c: lines of boxes: folded, measured in characters. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "activity/walk/forms/svg_core.h"
#include "common/array.h"

/* Whether the byte is a continuation byte of a UTF-8 character. */
static int is_inside(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

size_t act_svg_length(const char *text)
{
    size_t length = 0;

    for (; *text; text++)
        if (!is_inside(*text))
            /* characters from U+3000 on are twice as wide */
            length += (unsigned char)*text >= 0xe3 ? 2 : 1;
    return length;
}

static int add_line(struct act_box *box, enum act_line_style style, int indent,
                    const char *text, size_t size)
{
    char *copy = strndup(text, size);
    struct act_box_line *line;

    if (!copy || cca_array_reserve(&box->lines, box->line_count, sizeof *box->lines)) {
        free(copy);
        return -ENOMEM;
    }
    line = &box->lines[box->line_count++];
    *line = (struct act_box_line){copy, style, indent};
    return 0;
}

/* Bytes of the first part of a folded line: at most `most` characters, up to a space if
 * one is in the second half. */
static size_t fold(const char *text, size_t size, size_t most)
{
    size_t bytes = 0, characters = 0, space = 0;

    while (bytes < size) {
        if (!is_inside(text[bytes]) && characters++ == most)
            return space > most / 2 ? space : bytes;
        if (text[bytes] == ' ')
            space = bytes;
        bytes++;
    }
    return size;
}

int act_box_line(struct act_box *box, enum act_line_style style, int indent,
                 const char *text)
{
    while (*text) {
        size_t size = strcspn(text, "\n");
        int in = indent, rc = 0;

        if (in > ACT_SVG_MOST / 2)
            in = ACT_SVG_MOST / 2;
        while (size && !rc) {
            size_t part = fold(text, size, (size_t)(ACT_SVG_MOST - in));

            rc = add_line(box, style, in, text, part);
            text += part;
            size -= part;
            while (size && *text == ' ')
                text++, size--;
            if (in == indent)
                in += 2;
        }
        if (rc)
            return rc;
        text += *text == '\n';
    }
    return 0;
}

int act_box_expression(struct act_box *box, enum act_line_style style, const char *words,
                       const struct act_expr *e)
{
    char *text = NULL;
    size_t size;
    FILE *out;
    int rc = 0;

    if (!e)
        return 0;
    out = open_memstream(&text, &size);
    if (!out)
        return -ENOMEM;
    fputs(words, out);
    act_expr_print(e, out);
    if (style == ACT_LINE_KIND) /* a guard */
        fputc(']', out);
    if (fclose(out) != 0)
        rc = -ENOMEM;
    if (!rc)
        rc = act_box_line(box, style, 0, text);
    free(text);
    return rc;
}
