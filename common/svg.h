/* SPDX-License-Identifier: BSD-3-Clause */
/* svg.h: write elements of SVG figures; lengths are in pixels. `more` has further
 * attributes of the element, each with a blank before it. */
#ifndef COMMON_SVG_H
#define COMMON_SVG_H

#include "common/xml.h"

/* Begin a document, which the caller ends with "</svg>". The viewer chooses the fonts. */
static inline void cca_svg_begin(FILE *to, double width, double height)
{
    fprintf(to,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" font-family=\"Helvetica, Arial, sans-serif\" "
            "font-size=\"12\">\n",
            width, height, width, height);
}

/* Write at most `most` characters of a text, then "...". */
static inline void cca_svg_text(FILE *to, double x, double y, const char *more,
                                const char *text, size_t most)
{
    fprintf(to, "<text x=\"%.1f\" y=\"%.1f\"%s>", x, y, more);
    cca_xml_put(to, text, most);
    fputs("</text>\n", to);
}

static inline void cca_svg_line(FILE *to, double x1, double y1, double x2, double y2,
                                const char *more)
{
    fprintf(to, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"%s/>\n", x1, y1, x2,
            y2, more);
}

/* Write a rectangle; `hover`, or NULL, is a text that the viewer shows at the mouse
 * pointer. */
static inline void cca_svg_rect(FILE *to, double x, double y, double width, double height,
                                const char *more, const char *hover)
{
    fprintf(to, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.2f\" height=\"%.2f\"%s", x, y,
            width, height, more);
    if (!hover) {
        fputs("/>\n", to);
        return;
    }
    fputs("><title>", to);
    cca_xml_put(to, hover, SIZE_MAX);
    fputs("</title></rect>\n", to);
}

#endif
