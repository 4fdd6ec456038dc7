/* SPDX-License-Identifier: BSD-3-Clause */
/* verbs.h: one description of each verb of a program, from which its option parser, help,
 * man page, completion and chapter of the reference are made. */
#ifndef COMMON_VERBS_VERBS_H
#define COMMON_VERBS_VERBS_H

#include <stddef.h>
#include <stdio.h>

struct cca_option {
    const char *name;     /* the option as typed: "--top", or "-D" if it has only a
                           * letter */
    const char *argument; /* argument of the option: "N" of "--top N"; NULL: no
                           * argument. Text with | is a list of the allowed values */
    const char *help;     /* a paragraph without line breaks; NULL: an old name,
                             accepted but not printed */
    const char *letter;   /* "-o", or NULL */
};

/* A given option. */
struct cca_given {
    const char *name; /* "--sort" */
    int given;        /* number of times */
    const char **values;
};

/* The arguments after a verb. They and the values live until the verb returns. */
struct cca_args {
    const struct cca_given *options; /* values of the options, in the order of the
                                      * verb's table of options */
    char **words;                    /* [count] arguments that are not options */
    int count;
    const char *format; /* the one of `formats` that was given, or NULL */
    char **command;     /* arguments after "--", up to a NULL; NULL: no "--" */
    int command_count;
    char **foreign; /* [foreign_count] words that cca_verb.foreign has claimed */
    int foreign_count;
    char **all; /* [all_count] all arguments, as given */
    int all_count;
};

struct cca_verb {
    const char *name, *summary; /* name of the verb; its summary in the list of verbs,
                                 * NULL: not listed */
    /* Several verbs of one name are distinguished by the first argument, which is in this
     * NULL-terminated list; NULL: any other argument. */
    const char *const *formats;
    const char *usage;    /* usage of the verb as lines, without "usage: " before the
                           * first; or NULL */
    const char *examples; /* lines, or NULL */
    const char *about;    /* description of the verb: lines, with an empty line between
                           * paragraphs; or NULL */
    const struct cca_option *options;
    int option_count;
    int recording;     /* 1: also has the options of recording_options.h */
    int takes_command; /* 1: arguments after "--" are a command */
    int options_first; /* 1: the first argument that is not an option ends the options */
    /* The number of words from `word` on, 1 or 2, that are options of another program,
     * for the verb to pass on; 0: none. NULL: there are none. */
    int (*foreign)(const char *word);
    const void *columns; /* columns that the help explains, passed to
                            cca_program.column; or NULL */
    const char *notes;   /* notes that the help prints after the columns, as lines; or
                          * NULL */
    /* Function that runs the verb. Returns an exit code. */
    int (*run)(const struct cca_args *args);
};
#define CCA_OPTIONS(table)                                                               \
    .options = table, .option_count = (int)(sizeof(table) / sizeof *(table))

struct cca_program {
    const char *name, *version;
    const char *summary; /* summary of the program, for the head of its man page */
    const char *usage;   /* usage of a program with several verbs, in one line */
    const char *about;   /* text that the help prints below the list of verbs, as lines */
    const struct cca_verb *const *verbs;
    size_t verb_count;
    const struct cca_verb *default_verb; /* verb that runs if the first argument names
                                          * no verb; or NULL */
    /* Topics of `PROGRAM help` besides the pages of all programs, and their printer,
     * which returns an exit code; or NULL. `word`, the argument after the topic, may be
     * NULL. */
    const struct cca_option *topics;
    size_t topic_count;
    int (*topic)(size_t topic, const char *word);
    /* The head of column i and its help; NULL: there are no more. NULL help: none. */
    const char *(*column)(const void *columns, size_t i, const char **help);
    int most_values; /* most values of a repeated option; 0: no limit */
    /* Report a mistake on stderr; returns `code`. */
    int (*refuse)(int code, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
    /* Flush stdout; returns `code`, or another exit code if that failed. */
    int (*finish)(int code);
};

/* Run the verb given by the arguments, or print the help or the version. Returns an exit
 * code: CCA_MISUSE for invalid arguments. */
int cca_program_run(const struct cca_program *program, int argc, char **argv);
/* Parse the arguments after a verb and run it. Returns an exit code. */
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

/* Copy the options of a verb, first its own, then recording_options. Returns their
 * number. */
size_t cca_verb_options(const struct cca_verb *verb,
                        struct cca_option options[CCA_OPTIONS_MOST]);
/* Print the help of a verb, and of a program with several verbs, on stdout. */
void cca_verb_print_help(const struct cca_program *program, const struct cca_verb *verb);
void cca_program_print_help(const struct cca_program *program);
/* Print all verbs as a Markdown page. */
void cca_program_print_reference(const struct cca_program *program);

/* --- man.c, completion.c ------------------------------------------------------------ */

/* Print the man page, for section 1, and the completion for bash, on stdout. */
void cca_program_print_man(const struct cca_program *program);
void cca_program_print_completion(const struct cca_program *program);

#endif
