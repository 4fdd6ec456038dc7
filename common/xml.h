/* SPDX-License-Identifier: BSD-3-Clause */
/* xml.h: recognise UTF-8 characters, and write text in XML. */
#ifndef COMMON_XML_H
#define COMMON_XML_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Return the length in bytes of the character at `text`, a NUL-terminated text; 0: it is
 * no valid UTF-8. */
static inline size_t cca_utf8_length(const char *text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *s = (const unsigned char *)text;
    size_t length = s[0] < 0x80             ? 1
                    : (s[0] & 0xe0) == 0xc0 ? 2
                    : (s[0] & 0xf0) == 0xe0 ? 3
                    : (s[0] & 0xf8) == 0xf0 ? 4
                                            : 0;
    uint32_t code = length > 1 ? s[0] & (0x7fu >> length) : s[0];

    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3fu);
    }
    if (length > 1 && (code < least[length] || code > 0x10ffff || (code >> 11) == 0x1b))
        return 0;
    return length;
}

/* Write at most `most` characters of a text, then "...", in a form for use between tags
 * or double quotes. Bytes that UTF-8 or XML 1.0 forbid become '?'. */
static inline void cca_xml_put(FILE *to, const char *text, size_t most)
{
    for (; *text && most; most--) {
        size_t length = cca_utf8_length(text);
        int is_last = length == 3 && memcmp(text, "\xef\xbf", 2) == 0 &&
                      (unsigned char)text[2] >= 0xbe; /* U+FFFE, U+FFFF */

        if (strchr("&<>\"\n\t\r", *text))
            fprintf(to, "&#%d;", *text);
        else if (!length || is_last || (unsigned char)*text < ' ' || *text == 0x7f)
            fputc('?', to);
        else
            fwrite(text, 1, length, to);
        text += length ? length : 1;
    }
    if (*text)
        fputs("...", to);
}

#endif
