/* SPDX-License-Identifier: BSD-3-Clause */
/* man.c: print the man page of a program, in the macros of man(7). */
#include <ctype.h>
#include <string.h>

#include "common/verbs/verbs.h"

/* Print `length` letters, escaped for groff. `is_line` is true if the first letter begins
 * a line, where groff's control characters must be escaped. */
static void print_escaped(const char *text, size_t length, int is_line)
{
    if (is_line && length && (*text == '.' || *text == '\''))
        fputs("\\&", stdout);
    for (size_t i = 0; i < length; i++)
        switch (text[i]) {
        case '\\':
            fputs("\\e", stdout);
            break;
        case '-':
            fputs("\\-", stdout);
            break;
        case '\'':
            fputs("\\(aq", stdout);
            break;
        case '^':
            fputs("\\(ha", stdout);
            break;
        case '~':
            fputs("\\(ti", stdout);
            break;
        default:
            putchar(text[i]);
        }
}

/* Print a text as paragraphs that groff fills; `.PP` precedes the first one if `has_head`
 * is set. An empty line ends a paragraph, text in backquotes is bold. If the text is
 * NULL, nothing is printed. */
static void print_filled(const char *text, int has_head)
{
    int is_bold = 0;

    if (text && has_head)
        puts(".PP");
    while (text && *text) {
        size_t line = strcspn(text, "\n");

        if (!line)
            fputs(".PP", stdout);
        for (size_t used = 0; used < line;) {
            size_t length = strcspn(text + used, "\n`");

            print_escaped(text + used, length, !used);
            used += length;
            if (text[used] == '`' && ++used)
                fputs((is_bold = !is_bold) ? "\\fB" : "\\fR", stdout);
        }
        putchar('\n');
        text += line + (text[line] == '\n');
    }
}

/* Print the lines of a text as they are; groff does not fill them. */
static void print_lines(const char *text)
{
    if (!text)
        return;
    puts(".PP\n.nf");
    while (*text) {
        size_t length = strcspn(text, "\n");

        print_escaped(text, length, 1);
        putchar('\n');
        text += length + (text[length] == '\n');
    }
    puts(".fi");
}

static void print_option(const struct cca_option *option)
{
    const char *names[] = {option->letter, option->name};

    fputs(".TP\n", stdout);
    for (int i = 0; i < 2; i++) {
        if (!names[i])
            continue;
        fputs("\\fB", stdout);
        print_escaped(names[i], strlen(names[i]), 0);
        fputs(i == 0 ? "\\fR, " : "\\fR", stdout);
    }
    if (option->argument) {
        fputs(" \\fI", stdout);
        print_escaped(option->argument, strlen(option->argument), 0);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    print_filled(option->help, 0);
}

static void print_columns(const struct cca_program *program, const void *columns)
{
    const char *head, *help;

    for (size_t i = 0; columns && (head = program->column(columns, i, &help)); i++) {
        if (!help)
            continue;
        fputs(".TP\n\\fB", stdout);
        print_escaped(head, strlen(head), 0);
        puts("\\fR");
        print_filled(help, 0);
    }
}

static void print_verb(const struct cca_program *program, const struct cca_verb *verb)
{
    struct cca_option options[CCA_OPTIONS_MOST];
    size_t count = cca_verb_options(verb, options);

    print_lines(verb->usage);
    print_lines(verb->examples);
    print_filled(verb->about, 1);
    for (size_t i = 0; i < count; i++)
        if (options[i].help)
            print_option(&options[i]);
    print_columns(program, verb->columns);
    print_filled(verb->notes, 1);
}

static void print_list(const struct cca_program *program)
{
    puts(".SH VERBS");
    for (size_t i = 0; i < program->verb_count; i++)
        if (program->verbs[i]->summary)
            print_option(&(struct cca_option){program->verbs[i]->name, NULL,
                                              program->verbs[i]->summary, NULL});
    for (size_t i = 0; i < program->topic_count; i++) {
        char name[64];

        snprintf(name, sizeof name, "help %s", program->topics[i].name);
        print_option(&(struct cca_option){name, program->topics[i].argument,
                                          program->topics[i].help, NULL});
    }
}

void cca_program_print_man(const struct cca_program *program)
{
    const struct cca_verb *only = program->verb_count == 1 ? program->verbs[0] : NULL;

    fputs(".TH ", stdout);
    for (const char *at = program->name; *at; at++)
        putchar(toupper((unsigned char)*at));
    printf(" 1 \"\" \"%s %s\"\n.SH NAME\n%s \\- ", program->name, program->version,
           program->name);
    print_escaped(program->summary, strlen(program->summary), 0);
    puts("\n.SH SYNOPSIS");
    print_lines(program->usage ? program->usage : only->usage);
    if (only) {
        puts(".SH DESCRIPTION");
        print_verb(program, &(struct cca_verb){.examples = only->examples,
                                               .about = only->about,
                                               .options = only->options,
                                               .option_count = only->option_count,
                                               .notes = only->notes});
    } else {
        print_list(program);
    }
    for (size_t i = 0; i < program->verb_count && !only; i++) {
        const struct cca_verb *verb = program->verbs[i];

        printf(".SH %s %s%s%s\n", program->name, verb->name, verb->formats ? " " : "",
               verb->formats ? *verb->formats : "");
        print_verb(program, verb);
    }
    if (program->about)
        puts(".SH NOTES");
    print_filled(program->about, 0);
    puts(".SH SEE ALSO\nThe documentation in share/doc/mastermind.");
}
