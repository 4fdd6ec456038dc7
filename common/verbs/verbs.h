/* SPDX-License-Identifier: BSD-3-Clause */
/* verbs.h: descriptions of the verbs (commands) of a program. From a verb's description,
 * its option parser, help, man page, completion and chapter of the reference are made. */
#ifndef COMMON_VERBS_VERBS_H
#define COMMON_VERBS_VERBS_H

#include <stddef.h>
#include <stdio.h>

struct cca_option {
    const char *name; /* the option as typed: "--top", or "-D" if it has only a
                       * letter */
    /* argument of the option, such as "N" for "--top N"; NULL: it has none. A text with |
     * is the list of the allowed values */
    const char *argument;
    /* help text, a paragraph without line breaks; NULL for an old name, which is accepted
     * but not printed */
    const char *help;
    const char *letter; /* "-o", or NULL */
};

/* A given option. */
struct cca_given {
    const char *name; /* "--sort" */
    int given;        /* number of times */
    const char **values;
};

/* The arguments after a verb. They and the values of options are valid until the verb
 * returns. */
struct cca_args {
    const struct cca_given *options; /* values of the options, in the order of the
                                      * verb's table of options */
    char **words;                    /* [count] arguments that are not options */
    int count;
    const char *format; /* the given one of the verb's `formats`, or NULL */
    char **command; /* arguments after "--", ending with NULL; NULL: there is no "--" */
    int command_count;
    char **foreign; /* [foreign_count] words that cca_verb.foreign has claimed */
    int foreign_count;
    char **all; /* [all_count] all arguments, as given */
    int all_count;
};

struct cca_verb {
    /* name of the verb; its summary in the list of verbs, or NULL: it is not listed */
    const char *name, *summary;
    /* Verbs with the same name are distinguished by their first argument, which must be
     * in this list that ends with NULL. If `formats` is NULL, the verb takes any other
     * first argument. */
    const char *const *formats;
    /* usage of the verb as lines, without "usage: " at the start; or NULL */
    const char *usage;
    const char *examples; /* lines, or NULL */
    const char *about;    /* description of the verb: lines, with an empty line between
                           * paragraphs; or NULL */
    const struct cca_option *options;
    int option_count;
    int recording;     /* true if it also has the options of recording_options.h */
    int takes_command; /* true if arguments after "--" are a command */
    /* true if the first argument that is not an option ends the options */
    int options_first;
    /* Function that recognises options which the verb passes on to another program.
     * Returns how many words from `word` on, 1 or 2, are such an option, or 0. NULL:
     * there are no such options. */
    int (*foreign)(const char *word);
    /* columns of the verb's output that the help explains; argument of
     * cca_program.column; or NULL */
    const void *columns;
    const char *notes; /* lines that the help prints after the columns; or NULL */
    /* Function that runs the verb. Returns an exit code. */
    int (*run)(const struct cca_args *args);
};
#define CCA_OPTIONS(table)                                                               \
    .options = table, .option_count = (int)(sizeof(table) / sizeof *(table))

/* Verbs that the help prints together. */
struct cca_group {
    const char *title;
    const char *verbs; /* names, separated by blanks */
};

struct cca_program {
    const char *name, *version;
    const char *summary; /* summary of the program, for the head of its man page */
    const char *usage;   /* usage of a program with several verbs, in one line */
    const char *about;   /* lines that the help prints after the list of verbs */
    const struct cca_verb *const *verbs;
    size_t verb_count;
    /* [group_count] all verbs in groups: `help` prints the first group, `help all` all of
     * them. NULL: `help` prints all verbs. */
    const struct cca_group *groups;
    size_t group_count;
    const struct cca_verb *default_verb; /* verb that runs if the first argument names
                                          * no verb; or NULL */
    /* Topics of `PROGRAM help` besides the pages that all programs have, and the function
     * that prints a topic and returns an exit code; or NULL. `word`, the argument after
     * the topic, may be NULL. */
    const struct cca_option *topics;
    size_t topic_count;
    int (*topic)(size_t topic, const char *word);
    /* Function that returns the head of column i, and sets `*help` to its help text, or
     * to NULL. Returns NULL if there are no more columns. */
    const char *(*column)(const void *columns, size_t i, const char **help);
    int most_values; /* largest number of values of a repeated option; 0: no limit */
    /* Function that reports a mistake on stderr, and returns `code`. */
    int (*refuse)(int code, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
    /* Function that flushes stdout. Returns `code`, or another exit code if that
     * failed. */
    int (*finish)(int code);
};

/* Run the verb that the arguments name, or print the help or the version. Returns an exit
 * code: CCA_MISUSE for invalid arguments. */
int cca_program_run(const struct cca_program *program, int argc, char **argv);
/* Parse the arguments after a verb and run it. Returns an exit code. */
int cca_verb_run(const struct cca_program *program, const struct cca_verb *verb, int argc,
                 char **argv);
enum { CCA_MISUSE = 2, CCA_NO_MEMORY = 5 };

/* Return the last value that was given for an option, or NULL. */
const char *cca_given_value(const struct cca_given *option);

/* --- help.c ------------------------------------------------------------------------- */

enum {
    CCA_HELP_WIDTH = 90, /* width of help texts in columns */
    CCA_OPTIONS_MOST = 48
};

/* Copy the options of a verb: first its own, then the options of recording_options.h.
 * Returns the number of options. */
size_t cca_verb_options(const struct cca_verb *verb,
                        struct cca_option options[CCA_OPTIONS_MOST]);
/* Print the help of a verb, or the help of a program with several verbs, on stdout. */
void cca_verb_print_help(const struct cca_program *program, const struct cca_verb *verb);
/* Print the verbs of a program, with groups the first group only unless `all`. */
void cca_program_print_help(const struct cca_program *program, int all);
/* Print all verbs as a Markdown page. */
void cca_program_print_reference(const struct cca_program *program);

/* --- man.c, completion.c ------------------------------------------------------------ */

/* Print the program's man page (for section 1), or its completion for bash, on stdout. */
void cca_program_print_man(const struct cca_program *program);
void cca_program_print_completion(const struct cca_program *program);

#endif
