/* SPDX-License-Identifier: BSD-3-Clause */
/* lines.c: lines of the model's text; each keeps the line of the UML file it came
 * from. */
#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "activity/xmi/text_core.h"
#include "common/array.h"

/* Begin a line of the text that comes from line `line` of the file. */
void xmi_begin_line(struct xmi_writing *w, int line)
{
    int *added = cca_array_add(&w->lines, &w->line_count, sizeof *added);

    if (!added) {
        w->failed = -ENOMEM;
        return;
    }
    *added = line;
    for (int i = 0; i < w->indent; i++)
        fputs("  ", w->out);
}

void xmi_write_line(struct xmi_writing *w, int line, const char *format, ...)
{
    va_list args;

    xmi_begin_line(w, line);
    va_start(args, format);
    vfprintf(w->out, format, args);
    va_end(args);
    fputc('\n', w->out);
}

void xmi_write_lines(struct xmi_writing *w, int line, const char *text)
{
    while (text && *text) {
        int length = (int)strcspn(text, "\r\n");

        xmi_write_line(w, line, "%.*s", length, text);
        text += length;
        text += *text == '\r';
        text += *text == '\n';
    }
}

void xmi_write_comment(struct xmi_writing *w, int line, const char *text)
{
    while (text) {
        int length = (int)strcspn(text, "\n");

        xmi_write_line(w, line, length ? "// %.*s" : "//", length, text);
        text = text[length] ? text + length + 1 : NULL;
    }
}

int xmi_fail(struct xmi_writing *w, int line, const char *format, ...)
{
    char text[400];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!w->failed)
        w->failed = xmi_refuse(w->document, line, w->err, "%s", text);
    return w->failed;
}

void xmi_begin_again(struct xmi_writing *w, int line, char name[80])
{
    snprintf(name, 80, "again_%d", XMI_LINE(line));
    if (!xmi_new_global(&w->guards, name, line))
        w->failed = -ENOMEM;
    xmi_write_line(w, line, "code {");
    xmi_write_line(w, line, "  %s = 1;", name);
    xmi_write_line(w, line, "}");
    xmi_write_line(w, line, "while %s == 1 {", name);
    w->indent++;
}

void xmi_end_block(struct xmi_writing *w, int line, const char *comment, const char *tail)
{
    xmi_write_comment(w, line, comment);
    w->indent--;
    xmi_begin_line(w, line);
    fputc('}', w->out);
    if (tail)
        fprintf(w->out, "  // %s", tail);
    fputc('\n', w->out);
}
