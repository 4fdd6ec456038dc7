/* SPDX-License-Identifier: BSD-3-Clause */
/* verbs.h: one description of each verb of a program, from which come the parser of its
 * options, its help, its man page, its completion and its chapter of the reference. */
#ifndef COMMON_VERBS_VERBS_H
#define COMMON_VERBS_VERBS_H

#include <stddef.h>
#include <stdio.h>

struct cca_option {
    const char *name;     /* "--top"; "-D" where there is only a letter */
    const char *argument; /* "N" of "--top N"; NULL: the option takes none. With | between
                             words: one of these */
    const char *help;     /* a paragraph without line breaks; NULL: an old name, taken but
                             not printed */
    const char *letter;   /* "-o", or NULL */
};

/* An option as it was given. */
struct cca_given {
    const char *name; /* "--sort" */
    int given;        /* number of times */
    const char **values;
};

/* The words behind a verb. They and the values live until the verb returns. */
struct cca_args {
    const struct cca_given *options; /* in the order of the verb's table */
    char **words;                    /* [count] the other words */
    int count;
    const char *format; /* the one of `formats` that was found, or NULL */
    char **command;     /* words behind "--", up to a NULL; NULL: no "--" */
    int command_count;
    char **foreign; /* [foreign_count] words that cca_verb.foreign has claimed */
    int foreign_count;
    char **all; /* [all_count] all words, as they were given */
    int all_count;
};

struct cca_verb {
    const char *name, *summary; /* summary NULL: not in the list of verbs */
    /* Several verbs of one name are chosen by the first word behind it: words of this
     * one, up to a NULL. NULL: all other words. */
    const char *const *formats;
    const char *usage;    /* lines, without "usage: " before the first; or NULL */
    const char *examples; /* lines, or NULL */
    const char *about;    /* lines; paragraphs have an empty one between them; or NULL */
    const struct cca_option *options;
    int option_count;
    int recording;     /* options of recording_options.h behind them: all, or 0 */
    int takes_command; /* words behind "--" are a command */
    int options_first; /* the first word that is no option ends them */
    /* The number of words from `word` on, 1 or 2, that are options of another program,
     * for the verb to pass on; 0: none. NULL: there are none. */
    int (*foreign)(const char *word);
    const void *columns; /* that the help explains, for cca_program.column; or NULL */
    const char *notes;   /* lines below them, or NULL */
    /* Returns an exit code. */
    int (*run)(const struct cca_args *args);
};
#define CCA_OPTIONS(table)                                                               \
    .options = table, .option_count = (int)(sizeof(table) / sizeof *(table))

struct cca_program {
    const char *name, *version;
    const char *summary; /* for the head of its man page */
    const char *usage;   /* a line, of a program with several verbs */
    const char *about;   /* lines below the list of verbs */
    const struct cca_verb *const *verbs;
    size_t verb_count;
    const struct cca_verb *default_verb; /* where the first word is no verb; or NULL */
    /* Names behind `PROGRAM help` besides the pages of all programs, and their printer,
     * which returns an exit code; or NULL. `word`, behind the name, may be NULL. */
    const struct cca_option *topics;
    size_t topic_count;
    int (*topic)(size_t topic, const char *word);
    /* The head of column i and its help; NULL: there are no more. NULL help: none. */
    const char *(*column)(const void *columns, size_t i, const char **help);
    int most_values; /* of a repeated option; 0: no limit */
    /* Report a mistake on stderr; returns `code`. */
    int (*refuse)(int code, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
    /* Flush stdout; returns `code`, or another exit code where that failed. */
    int (*finish)(int code);
};

/* Run the verb that the words name, or print the help or the version. Returns an exit
 * code: CCA_MISUSE after a mistake in the words. */
int cca_program_run(const struct cca_program *program, int argc, char **argv);
/* Read the words behind a verb and run it. Returns an exit code. */
int cca_verb_run(const struct cca_program *program, const struct cca_verb *verb, int argc,
                 char **argv);
enum { CCA_MISUSE = 2, CCA_NO_MEMORY = 5 };

/* The last value of an option, or NULL. */
const char *cca_given_value(const struct cca_given *option);

/* --- help.c ------------------------------------------------------------------------- */

enum {
    CCA_HELP_WIDTH = 90, /* columns of a help text */
    CCA_OPTIONS_MOST = 48
};

/* Copy the options of a verb, its own first, then recording_options. Returns the number.
 */
size_t cca_verb_options(const struct cca_verb *verb,
                        struct cca_option options[CCA_OPTIONS_MOST]);
/* "-o, --output EXP" in the caller's buffer. Returns its length. */
int cca_option_head(const struct cca_option *option, char *text, size_t size);
/* Print the words of `text` from `column` on, where the line stands, in lines of
 * CCA_HELP_WIDTH columns, and a newline. */
void cca_help_print(FILE *file, const char *text, int column);
/* Print the lines of all, their help in one column. */
void cca_options_print(FILE *file, const struct cca_option *options, size_t count);
/* The help of a verb, and of a program with several, on stdout. */
void cca_verb_print_help(const struct cca_program *program, const struct cca_verb *verb);
void cca_program_print_help(const struct cca_program *program);
/* All verbs as a page in Markdown. */
void cca_program_print_reference(const struct cca_program *program);

/* --- man.c, completion.c ------------------------------------------------------------ */

/* The man page, for section 1, and the completion for bash, on stdout. */
void cca_program_print_man(const struct cca_program *program);
void cca_program_print_completion(const struct cca_program *program);

#endif
