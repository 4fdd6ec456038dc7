/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h: one description of an option, from which its parser and its lines of a help
 * text come. */
#ifndef COMMON_OPTIONS_H
#define COMMON_OPTIONS_H

#include <stdio.h>
#include <string.h>

struct cca_option {
    const char *name;     /* "--top"; "-D" where there is only a letter */
    const char *argument; /* "N" of "--top N"; NULL: the option takes none */
    const char *help;     /* a paragraph without line breaks */
    const char *letter;   /* "-o", or NULL */
};

enum {
    CCA_HELP_WIDTH = 90, /* columns of a help text */
    CCA_HELP_HEAD = 20   /* longer heads have a line of their own */
};

/* "-o, --output EXP" in the caller's buffer. Returns its length. */
static inline int cca_option_head(const struct cca_option *option, char *text,
                                  size_t size)
{
    return snprintf(text, size, "%s%s%s%s%s", option->letter ? option->letter : "",
                    option->letter ? ", " : "", option->name, option->argument ? " " : "",
                    option->argument ? option->argument : "");
}

/* Print the words of `text` from `column` on, where the line stands, in lines of
 * CCA_HELP_WIDTH columns, and a newline. */
static inline void cca_help_print(FILE *file, const char *text, int column)
{
    int used = column;

    while (*text) {
        int length = (int)strcspn(text, " ");

        if (used > column && used + 1 + length > CCA_HELP_WIDTH) {
            fprintf(file, "\n%*s", column, "");
            used = column;
        }
        used += fprintf(file, "%s%.*s", used > column ? " " : "", length, text);
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', file);
}

/* Print the lines of an option, its help from `column` on. */
static inline void cca_option_print(FILE *file, const struct cca_option *option,
                                    int column)
{
    char head[256];
    int length = cca_option_head(option, head, sizeof head);

    fprintf(file, "  %s%*s", head, length + 4 > column ? 0 : column - length - 2, "");
    if (length + 4 > column)
        fprintf(file, "\n%*s", column, "");
    cca_help_print(file, option->help, column);
}

/* Print the lines of all, their help in one column. */
static inline void cca_options_print(FILE *file, const struct cca_option *options,
                                     size_t count)
{
    char head[256];
    int column = 0;

    for (size_t i = 0; i < count; i++) {
        int length = cca_option_head(&options[i], head, sizeof head);

        if (length <= CCA_HELP_HEAD && length + 4 > column)
            column = length + 4;
    }
    for (size_t i = 0; i < count; i++)
        cca_option_print(file, &options[i], column);
}

#endif
