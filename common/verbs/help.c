/* SPDX-License-Identifier: BSD-3-Clause */
/* help.c: print the help of verbs on a terminal, and their page in Markdown. */
#include <assert.h>
#include <string.h>

#include "common/verbs/verbs.h"
#include "ports/recording_options.h"

/* the head of an option ("-o, --output EXP") that is longer than this is printed on a
 * line of its own */
enum { HEAD = 20 };

size_t cca_verb_options(const struct cca_verb *verb,
                        struct cca_option options[CCA_OPTIONS_MOST])
{
    size_t count = 0;

    assert(verb->recording + verb->option_count <= CCA_OPTIONS_MOST);
    for (int i = 0; i < verb->option_count; i++)
        options[count++] = verb->options[i];
    for (int i = 0; i < verb->recording; i++) {
        const struct recording_option *row = &recording_options[i];

        options[count++] =
            (struct cca_option){row->name, row->argument, row->help, row->letter};
    }
    return count;
}

/* Write the head of an option, "-o, --output EXP", to the caller's buffer. Returns its
 * length. */
static int cca_option_head(const struct cca_option *option, char *text, size_t size)
{
    return snprintf(text, size, "%s%s%s%s%s", option->letter ? option->letter : "",
                    option->letter ? ", " : "", option->name, option->argument ? " " : "",
                    option->argument ? option->argument : "");
}

/* Print `text` and a newline, wrapped to CCA_HELP_WIDTH columns and indented to `column`,
 * which is the current column. */
static void cca_help_print(FILE *file, const char *text, int column)
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

/* Print the help of an option; its text starts at `column`. */
static void print_option(FILE *file, const struct cca_option *option, int column)
{
    char head[256];
    int length = cca_option_head(option, head, sizeof head);

    fprintf(file, "  %s%*s", head, length + 4 > column ? 0 : column - length - 2, "");
    if (length + 4 > column)
        fprintf(file, "\n%*s", column, "");
    cca_help_print(file, option->help, column);
}

/* Print the help of all options; their texts start at the same column. */
static void cca_options_print(FILE *file, const struct cca_option *options, size_t count)
{
    char head[256];
    int column = 0;

    for (size_t i = 0; i < count; i++) {
        int length = cca_option_head(&options[i], head, sizeof head);

        if (options[i].help && length <= HEAD && length + 4 > column)
            column = length + 4;
    }
    for (size_t i = 0; i < count; i++)
        if (options[i].help)
            print_option(file, &options[i], column);
}

/* Print the lines of a text; lines wider than a help text are wrapped. NULL: nothing is
 * printed. */
static void print_lines(const char *text)
{
    char line[2048];

    for (; text && *text; text += *text == '\n') {
        size_t length = strcspn(text, "\n");

        snprintf(line, sizeof line, "%.*s", (int)length, text);
        if (length > CCA_HELP_WIDTH)
            cca_help_print(stdout, line, 0);
        else
            puts(line);
        text += length;
    }
}

/* Print `head`, the lines of `text` and an empty line. If `text` is NULL, nothing is
 * printed. */
static void print_behind(const char *head, const char *text)
{
    if (!text)
        return;
    for (int is_first = 1; *text; is_first = 0) {
        size_t length = strcspn(text, "\n");

        printf("%*s%.*s\n", (int)strlen(head), is_first ? head : "", (int)length, text);
        text += length + (text[length] == '\n');
    }
    putchar('\n');
}

static void print_columns(const struct cca_program *program, const void *columns)
{
    const char *head, *help;

    for (size_t i = 0; columns && (head = program->column(columns, i, &help)); i++)
        if (help) {
            printf("%-9.*s ", (int)strcspn(head, " "), head);
            cca_help_print(stdout, help, 10);
        }
}

void cca_verb_print_help(const struct cca_program *program, const struct cca_verb *verb)
{
    static const struct cca_option standard[] = {
        {"--help", NULL, "print this text", "-h"},
        {"--version", NULL, "print the version", "-V"}};
    struct cca_option options[CCA_OPTIONS_MOST + 2];
    size_t count = cca_verb_options(verb, options);

    if (verb == program->default_verb) {
        memcpy(options + count, standard, sizeof standard);
        count += 2;
    }
    print_behind("usage: ", verb->usage);
    print_behind("", verb->examples);
    print_lines(verb->about);
    if (count && verb->about)
        putchar('\n');
    cca_options_print(stdout, options, count);
    if (verb->columns || verb->notes)
        putchar('\n');
    print_columns(program, verb->columns);
    print_lines(verb->notes);
}

static void print_summary(const struct cca_verb *verb)
{
    if (verb->summary)
        printf("  %-10s %s\n", verb->name, verb->summary);
}

/* Print the verbs of a group with their summaries. */
static void print_group(const struct cca_program *program, const struct cca_group *group)
{
    printf("%s:\n", group->title);
    for (const char *name = group->verbs; *name; name += strspn(name, " ")) {
        size_t length = strcspn(name, " ");

        for (size_t i = 0; i < program->verb_count; i++)
            if (strncmp(program->verbs[i]->name, name, length) == 0 &&
                !program->verbs[i]->name[length])
                print_summary(program->verbs[i]);
        name += length;
    }
}

void cca_program_print_help(const struct cca_program *program, int all)
{
    print_behind("usage: ", program->usage);
    for (size_t i = 0; i < program->verb_count && !program->group_count; i++)
        print_summary(program->verbs[i]);
    for (size_t i = 0; i < program->group_count && (all || !i); i++) {
        fputs(i ? "\n" : "", stdout);
        print_group(program, &program->groups[i]);
    }
    if (program->group_count && !all)
        printf("\n%s help all lists the other verbs, too.", program->name);
    printf("\n%s VERB -h prints examples and options of a verb.\n", program->name);
    for (size_t i = 0; i < program->topic_count; i++)
        printf("%s help %s%s%s%s prints %s.\n", program->name, program->topics[i].name,
               program->topics[i].argument ? " [" : "",
               program->topics[i].argument ? program->topics[i].argument : "",
               program->topics[i].argument ? "]" : "", program->topics[i].help);
    printf(
        "%s help --reference prints all verbs with their options in Markdown, --man as "
        "a\nman page; --completion prints the completion for bash.\n",
        program->name);
    print_lines(program->about);
}

/* --- The page ----------------------------------------------------------------------- */

/* Print a cell of a Markdown table. */
static void print_markdown(const char *text)
{
    for (; *text; text++)
        printf(*text == '|' || *text == '<' || *text == '*' ? "\\%c" : "%c", *text);
}

static void print_chapter(const struct cca_program *program, const struct cca_verb *verb)
{
    struct cca_option options[CCA_OPTIONS_MOST];
    size_t count = cca_verb_options(verb, options);
    const char *head, *help;

    if (program->verb_count > 1)
        printf("\n### %s %s%s%s\n", program->name, verb->name, verb->formats ? " " : "",
               verb->formats ? *verb->formats : "");
    printf("\n```\n%s%s```\n\n%s", verb->usage ? verb->usage : "",
           verb->examples ? verb->examples : "", verb->about ? verb->about : "");
    if (count)
        puts("\n| option | meaning |\n|---|---|");
    for (size_t i = 0; i < count; i++) {
        char option[256];

        if (!options[i].help)
            continue;
        cca_option_head(&options[i], option, sizeof option);
        fputs("| `", stdout);
        /* escape '|', which would end the table's cell */
        for (const char *at = option; *at; at++)
            printf(*at == '|' ? "\\%c" : "%c", *at);
        fputs("` | ", stdout);
        print_markdown(options[i].help);
        puts(" |");
    }
    if (verb->columns)
        puts("\n| column | meaning |\n|---|---|");
    for (size_t i = 0; verb->columns && (head = program->column(verb->columns, i, &help));
         i++)
        if (help)
            printf("| `%s` | %s |\n", head, help);
    if (verb->notes)
        printf("\n%s", verb->notes);
}

void cca_program_print_reference(const struct cca_program *program)
{
    printf(
        "\n## %s\n\n`%s help --reference` prints this chapter from the tables that the "
        "program reads its options by.\n",
        program->name, program->name);
    for (size_t i = 0; i < program->verb_count; i++)
        print_chapter(program, program->verbs[i]);
}
