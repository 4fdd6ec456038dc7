/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd.h: what the verbs of the program mastermind share: options, input, output. */
#ifndef MASTERMIND_CMD_CMD_H
#define MASTERMIND_CMD_CMD_H

#include <stdio.h>

#include <jansson.h>

#include "common/options.h"
#include "mastermind/forecast/models/library.h"
#include "mastermind/counts/dual/metric.h"
#include "mastermind/counts/profile/profile.h"
#include "mastermind/repository/repository.h"

/* Exit codes; docs/reference/mastermind.md. */
enum {
    MM_EXIT_DONE = 0,
    MM_EXIT_NO = 1,     /* the answer is no */
    MM_EXIT_MISUSE = 2, /* options or arguments */
    MM_EXIT_INPUT = 3,  /* an experiment or a name in it */
    MM_EXIT_SYSTEM = 5  /* files or memory */
};

/* --- options.c ------------------------------------------------------------ */

#define MM_OPTION_VALUES 64 /* most values of a repeated option */

/* An option as it was given. */
struct mm_option {
    const char *name; /* "--sort" */
    int given;        /* number of times */
    const char *values[MM_OPTION_VALUES];
};

/* What stands behind a verb. */
struct mm_args {
    const struct mm_option *options; /* in the order of the verb's table */
    char **words;                    /* [count] the other words */
    int count;
    const char *format; /* the one of `formats` that was found, or NULL */
    char **command;     /* words behind "--", up to a NULL; NULL: no "--" */
    int command_count;
};

struct mm_field;

/* The description of a verb: its line in the list of verbs, its help, its page in the
 * reference, its options. */
struct mm_verb {
    const char *name, *summary;
    /* First words that choose this description among those of one name, up to a NULL;
     * NULL: all others. */
    const char *const *formats;
    const char *examples; /* lines */
    const char *about;    /* lines; paragraphs have an empty one between them */
    const struct cca_option *options;
    int option_count;
    int recording;     /* options of recording_options.h behind them: all, or 0 */
    int takes_command; /* words behind "--" are a command */
    const struct mm_field *fields; /* columns that the help explains, or NULL */
    const char *notes;             /* lines below them, or NULL */
    /* Returns an exit code. */
    int (*run)(const struct mm_args *args);
};
#define MM_OPTIONS(table)                                                                \
    .options = table, .option_count = (int)(sizeof(table) / sizeof *(table))

/* All verbs, in the order of their list; each is a struct mm_verb mm_verb_NAME. */
#define MM_VERBS(VERB)                                                                   \
    VERB(report)                                                                         \
    VERB(graph)                                                                          \
    VERB(model)                                                                          \
    VERB(predict)                                                                        \
    VERB(choose)                                                                         \
    VERB(sweep)                                                                          \
    VERB(diff)                                                                           \
    VERB(ledger)                                                                         \
    VERB(messages)                                                                       \
    VERB(properties)                                                                     \
    VERB(search)                                                                         \
    VERB(mesh)                                                                           \
    VERB(balance)                                                                        \
    VERB(activity)                                                                       \
    VERB(records)                                                                        \
    VERB(record)                                                                         \
    VERB(import)                                                                         \
    VERB(import_cells)                                                                   \
    VERB(import_lbaf)                                                                    \
    VERB(pack)                                                                           \
    VERB(export)                                                                         \
    VERB(export_formats)                                                                 \
    VERB(export_vtk)                                                                     \
    VERB(export_lbaf)
#define MM_VERB_DECLARE(name) extern const struct mm_verb mm_verb_##name;
MM_VERBS(MM_VERB_DECLARE)

/* The help of a verb, on stdout; the same as a chapter of a page in Markdown. */
void mm_verb_print_help(const struct mm_verb *verb);
void mm_verb_print_reference(const struct mm_verb *verb);
/* Sort the words behind a verb into options and others, and run it. "--name value" and
 * "--name=value" are both taken; "--" ends options; -h and --help print the help. Returns
 * an exit code. */
int mm_verb_run(const struct mm_verb *verb, int argc, char **argv);
/* The paragraphs of documents.txt, up to a NULL. */
extern const char *const mm_documents[];
/* Print the JSON schema of a document, "report" or "report-metric", on stdout; NULL: the
 * names of all. Returns an exit code. shapes.c */
int mm_help_schema(const char *name);
/* New object whose keys are the members of a row in `list`, an array of rows in a
 * document, in the order of the shape. shapes.c */
json_t *mm_document_columns(const char *name, const char *list);
/* The last value of an option, or NULL. */
const char *mm_option_value(const struct mm_option *option);
/* The value of option as a number of at least `least`; -1 to go on, else an exit code. */
int mm_option_number(const struct mm_option *option, double least, double *value);
/* Like mm_option_number, for a whole number. */
int mm_option_count(const struct mm_option *option, double least, double *value);

/* --- page/html.c ----------------------------------------------------------- */

/* `report --html`: write the page of the run at `path`, with the documents that --with
 * names. Returns an exit code. */
int mm_report_html(const char *path, const struct mm_option *html,
                   const struct mm_option *with);

/* --- given_paths.c -------------------------------------------------------- */

/* Paths of experiments and repositories. */
struct mm_paths {
    char **items;
    size_t count;
};
/* Copy the paths given, with the experiments of a sweep, in their order, in the place of
 * its directory. Returns -1 to go on, else an exit code; mm_paths_done either way. */
int mm_paths_expand(struct mm_paths *paths, char *const *given, int count);
void mm_paths_done(struct mm_paths *paths);
/* True for the directory of a sweep: it has a plan and no experiment of its own. */
int mm_path_is_sweep(const char *path);

/* --- input.c -------------------------------------------------------------- */

struct mm_input {
    struct mm_experiment **experiments;
    struct mm_profile **profiles;
    struct mm_metric_source *sources;
    size_t count;
    struct mm_metric metric; /* metric of the profiles */
    /* Where models are asked for WALL_TIME, the profiles are of own time: what is made of
     * them is to be stretched. All are 1 for another metric, and for runs that do not
     * tell what the host took. */
    int stretched;
    struct mm_stretch stretch;
    struct mm_repository **repositories; /* of models, beside the experiments */
    size_t repository_count;
    int any_machine; /* models of other machines, too */
};

/* Open all experiments and walk their rows, with the metric that `option` names in the
 * place of time; NULL, or not given: time. Returns -1 to go on, else an exit code after
 * having said why; mm_input_done either way. */
int mm_input_open(struct mm_input *input, char *const *paths, int count,
                  const struct mm_option *option);
/* Like mm_input_open, for models: WALL_TIME is own time with a stretch. */
int mm_input_open_stretched(struct mm_input *input, char *const *paths, int count,
                            const struct mm_option *option);
/* Like mm_input_open, with the rows of one rank only; -1: of all. */
int mm_input_open_rank(struct mm_input *input, char *const *paths, int count,
                       const struct mm_option *option, int rank);
void mm_input_done(struct mm_input *input);
/* The stretch that costs of these models are to be given, or NULL: none, the metric is
 * not WALL_TIME or no run tells what the host took. */
const struct mm_stretch *mm_input_stretch(const struct mm_input *input);
/* Like mm_input_open_stretched; repositories and sweeps may stand among the experiments,
 * the first of which is the base. With `alone` none is needed beside repositories.
 * `any_machine`: the option
 * --any-machine. models.c */
int mm_input_open_models(struct mm_input *input, char *const *paths, int count,
                         const struct mm_option *option,
                         const struct mm_option *any_machine, int alone);
/* The models of the experiments and the repositories, with notes on what was left out.
 * `options` may be NULL. New, or NULL with `err`; the input must outlive it, and gives
 * its models once. models.c */
struct mm_library *mm_input_library(const struct mm_input *input,
                                    const struct mm_search_options *options,
                                    struct cca_error *err);
/* Save the models of `library` that were fitted and that `wanted` (may be NULL) is true
 * of. Returns the exit code, or -1. models.c */
int mm_input_save(const struct mm_input *input, const struct mm_library *library,
                  int (*wanted)(const void *context, const struct mm_model_set *set),
                  const void *context, const char *path);
/* Check that the base has called an instance `name`, or that one of the experiments has a
 * class `name`. Return -1 to go on, else an exit code after a message with the nearest
 * name. */
int mm_input_check_instance(const struct mm_input *input, const char *name);
int mm_input_check_class(const struct mm_input *input, const char *name);
/* Report that memory is out; returns MM_EXIT_SYSTEM. memory.c */
int mm_no_memory(void);
/* Print a message, with "mastermind: " before it and a newline behind. Returns `code`. */
int mm_refuse(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Report `err` on stderr; returns its exit code. */
int mm_complain(const struct cca_error *err);
void mm_print_notes(const struct mm_notes *notes);

/* --- memory.c ------------------------------------------------------------- */

/* jansson does not report that memory is out: it leaves members out or calls the text
 * wrong. Watch its allocations from now on. */
void mm_memory_watch(void);
int mm_memory_failed(void);

/* --- output.c ------------------------------------------------------------- */

/* A name from a file, with bytes escaped as \xNN that a terminal would obey. Lies in a
 * ring of static buffers: valid until eight more calls. */
const char *mm_safe(const char *name);
/* 48,112 */
const char *mm_thousands(uint64_t value);
/* 1 call, 2 calls: the noun with an s unless there is one */
const char *mm_counted(uint64_t count, const char *noun);
/* About three digits with thousands separators: 18,231  1,162  12.4  0.031 */
const char *mm_amount(double value);
/* 14.1 min, 18.2 s, 804 ms, 31.2 us, 12 ns */
const char *mm_time(double ns);
/* A time like mm_time, a count like mm_amount. */
const char *mm_cost(const struct mm_metric *metric, double ns);
/* 2.1e3, 42, 0.5: for ranges */
const char *mm_range_number(double value);
/* 0.28 %, 2.1 %, 160 % */
const char *mm_percent(double share);
/* "4 x", "1.3 x": for factors */
const char *mm_factor(double value);
/* The size of a memory, "1 MiB". */
const char *mm_bytes(double value);

/* A table for people: columns as wide as their widest cell, then a name. */
enum { MM_TABLE_COLUMNS = 9, MM_CELL = 32 };
struct mm_table {
    int columns, width[MM_TABLE_COLUMNS];
    int print; /* 0: rows are measured only */
};
/* Print a table. `rows` adds heads and rows by mm_table_row; it is called twice. */
void mm_table_print(int columns,
                    void (*rows)(const void *context, struct mm_table *table),
                    const void *context);
void mm_cell_set(char cell[MM_CELL], const char *text);
void mm_table_row(struct mm_table *table, char cells[][MM_CELL], const char *name);

/* Print a cell of CSV, in quotes where it needs them (RFC 4180). */
void mm_csv_print(const char *text);
/* New json string; bytes that are no UTF-8 are escaped. */
json_t *mm_json_escaped(const char *text);
/* New real; NULL where it is not finite, which leaves the member absent. */
json_t *mm_json_finite(double value);
/* Set a member; NULL: leave it absent. Steals `value`. */
void mm_json_put(json_t *object, const char *key, json_t *value);
/* New object with its schema, "mastermind/<verb>/1". */
json_t *mm_json_document(const char *verb);
/* Like mm_json_document for TIME; for another metric "mastermind/<verb>-metric/1" with
 * the metric's name and unit. */
json_t *mm_json_metric_document(const char *verb, const struct mm_metric *metric);
/* Set "key_s", seconds, from nanoseconds of TIME; set "key" for another metric. A value
 * that is not finite is left absent. */
void mm_json_put_seconds(json_t *object, const char *key, const struct mm_metric *metric,
                         double ns);
/* Like mm_json_put_seconds, as nanoseconds "key_ns". */
void mm_json_put_ns(json_t *object, const char *key, const struct mm_metric *metric,
                    double ns);
/* Array of both lists of notes; either may be NULL. */
json_t *mm_json_notes(const struct mm_notes *a, const struct mm_notes *b);
/* Print the document and free it. Returns an exit code. */
int mm_json_print(json_t *document);
/* Set name, instance, port, method, class, build and port type of a method. */
void mm_json_put_method(json_t *object, const struct mm_method_info *method);
/* Flush stdout; returns `code`, or MM_EXIT_SYSTEM after reporting that output or memory
 * failed. */
int mm_finish_output(int code);

#endif
