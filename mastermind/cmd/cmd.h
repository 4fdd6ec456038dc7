/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd.h: functions that the verbs of the program mastermind share: options, input,
 * output. */
#ifndef MASTERMIND_CMD_CMD_H
#define MASTERMIND_CMD_CMD_H

#include <stdio.h>

#include <jansson.h>

#include "common/verbs/verbs.h"
#include "mastermind/forecast/models/library.h"
#include "mastermind/counts/counts.h"
#include "mastermind/repository/repository.h"

/* Exit codes, as docs/reference/mastermind.md describes them. */
enum {
    MM_EXIT_DONE = 0,
    MM_EXIT_NO = 1,      /* the answer of the verb is no */
    MM_EXIT_MISUSE = 2,  /* wrong options or arguments */
    MM_EXIT_INPUT = 3,   /* a damaged experiment, or a name that the experiment does not
                          * have */
    MM_EXIT_COMMAND = 4, /* a command that the verb ran failed */
    MM_EXIT_SYSTEM = 5   /* errors of files or memory */
};

/* --- options.c ------------------------------------------------------------ */

#define MM_OPTION_VALUES 64 /* largest number of values of a repeated option */

/* All verbs, in the order of their list; each is a struct cca_verb mm_verb_NAME. */
#define MM_VERBS(VERB)                                                                   \
    VERB(report)                                                                         \
    VERB(graph)                                                                          \
    VERB(model)                                                                          \
    VERB(predict)                                                                        \
    VERB(whatif)                                                                         \
    VERB(choose)                                                                         \
    VERB(grow)                                                                           \
    VERB(sweep)                                                                          \
    VERB(race)                                                                           \
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
#define MM_VERB_DECLARE(name) extern const struct cca_verb mm_verb_##name;
MM_VERBS(MM_VERB_DECLARE)

/* Parse the arguments of a verb and run it. Returns an exit code. See mastermind.c. */
int mm_verb_run(const struct cca_verb *verb, int argc, char **argv);
/* The paragraphs of documents.txt, ending with NULL. */
extern const char *const mm_documents[];
/* Print the JSON schema of a document such as "report" or "report-metric" on stdout;
 * NULL: list all names. Returns an exit code. See shapes.c. */
int mm_help_schema(const char *name);
/* Make a new object whose keys are the members of a row of `list`, an array in document
 * `name`, in the order of its description. See shapes.c. */
json_t *mm_document_columns(const char *name, const char *list);
/* Read the last value of an option as a number of at least `least`. Returns -1 to go on,
 * else an exit code. */
int mm_option_number(const struct cca_given *option, double least, double *value);
/* Like mm_option_number, for a whole number. */
int mm_option_count(const struct cca_given *option, double least, double *value);

/* --- page/html.c ----------------------------------------------------------- */

/* `report --html`: write the page of the run at `path`, including the documents given by
 * --with. Returns an exit code. */
int mm_report_html(const char *path, const struct cca_given *html,
                   const struct cca_given *with);

/* --- record/cmd_record.c ---------------------------------------------------- */

/* True if a shell finds a program named `name`. */
int mm_record_finds(const char *name);
/* From now on do not load the recorder into programs that have no marks of regions or
 * tables: the form `mastermind ./prog`. */
void mm_record_briefly(void);

/* --- given_paths.c -------------------------------------------------------- */

/* Paths of experiments and repositories. */
struct mm_paths {
    char **items;
    size_t count;
};
/* Copy the given paths; the directory of a sweep is replaced by its experiments, in
 * order. Returns -1 to go on, else an exit code; call mm_paths_done either way. */
int mm_paths_expand(struct mm_paths *paths, char *const *given, int count);
void mm_paths_done(struct mm_paths *paths);
/* True for the directory of a sweep: it has a plan and is no experiment itself. */
int mm_path_is_sweep(const char *path);

/* --- input.c -------------------------------------------------------------- */

struct mm_input {
    struct mm_experiment **experiments;
    struct mm_profile **profiles;
    struct mm_metric_source *sources;
    size_t count;
    struct mm_metric metric; /* metric of the profiles */
    /* true if models of WALL_TIME are requested: the profiles then hold own time, and
     * estimates must be multiplied by the stretch, the ratio of wall time to own time.
     * Runs without recorded host time have a stretch of 1. */
    int stretched;
    struct mm_stretch stretch;
    int inclusive; /* true if models are of calls with all that they call */
    int hints;     /* true if hints are parameters */
    struct mm_repository **repositories; /* repositories of models, in addition to the
                                          * experiments */
    size_t repository_count;
    int any_machine; /* true to accept models of other machines */
};

/* Open all experiments and walk their rows with the metric that `option` names; NULL or
 * not given: time, of timed commands CPU time. Returns -1 to go on, else an exit code
 * after a message; call mm_input_done either way. */
int mm_input_open(struct mm_input *input, char *const *paths, int count,
                  const struct cca_given *option);
/* How inputs of models are opened. */
enum mm_input_how {
    MM_INPUT_ALONE = 1,     /* repositories without any experiment are enough */
    MM_INPUT_INCLUSIVE = 2, /* models are of calls with all that they call */
    MM_INPUT_HINTS = 4      /* hints are parameters */
};
/* Like mm_input_open, for models: with WALL_TIME the profiles hold own time (wall time
 * less the time taken by the host), to be multiplied by a stretch. `how`: a set of enum
 * mm_input_how, as below. */
int mm_input_open_stretched(struct mm_input *input, char *const *paths, int count,
                            const struct cca_given *option, unsigned how);
/* Like mm_paths_expand; for each run with shadow calls also the folder with their
 * experiment, behind all runs. */
int mm_paths_expand_shadows(struct mm_paths *paths, char *const *given, int count);
/* Like mm_input_open, with the rows of one rank only; -1: of all. */
int mm_input_open_rank(struct mm_input *input, char *const *paths, int count,
                       const struct cca_given *option, int rank);
void mm_input_done(struct mm_input *input);
/* The factor that turns own time of these models into wall time, or NULL: the metric is
 * not WALL_TIME, or no run recorded the time taken by the host. */
const struct mm_stretch *mm_input_stretch(const struct mm_input *input);
/* Read the experiments again, with the clock time of each call as its time: where the
 * host's part of a call depends on how it computes, as with several threads, it is no
 * factor of all calls. Returns -1 to go on, else an exit code. */
int mm_input_by_clock(struct mm_input *input);
/* Like mm_input_open_stretched, but the paths may include repositories and sweeps; the
 * first experiment is the base. `any_machine`: the option --any-machine. See
 * models.c. */
int mm_input_open_models(struct mm_input *input, char *const *paths, int count,
                         const struct cca_given *option,
                         const struct cca_given *any_machine, unsigned how);
/* The models of the experiments and the repositories, with notes on data that was left
 * out. `options` may be NULL. The result is new, or NULL with `err`; the input must
 * outlive it. Call it once for each input. See models.c. */
struct mm_library *mm_input_library(const struct mm_input *input,
                                    const struct mm_search_options *options,
                                    struct cca_error *err);
/* Save the fitted models of `library` for which `wanted` (NULL: all) returns true.
 * Returns -1 to go on, else an exit code after a message. See models.c. */
int mm_input_save(const struct mm_input *input, const struct mm_library *library,
                  int (*wanted)(const void *context, const struct mm_model_set *set),
                  const void *context, const char *path);
/* Check that an instance `name` was called in the base, or that an experiment has a class
 * `name`. Each returns -1 to go on, else an exit code after a message with the nearest
 * name. */
int mm_input_check_instance(const struct mm_input *input, const char *name);
int mm_input_check_class(const struct mm_input *input, const char *name);
/* Report "out of memory"; returns MM_EXIT_SYSTEM. See memory.c. */
int mm_no_memory(void);
/* Print "mastermind: ", a message and a newline on stderr. Returns `code`. */
int mm_refuse(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Report `err` on stderr; returns its exit code. */
int mm_complain(const struct cca_error *err);
void mm_print_notes(const struct mm_notes *notes);

/* --- rules.c -------------------------------------------------------------- */

/* Check the text of a file of rules (docs/guide/dispatch.md), and get the type of the
 * port that they are for; `port_type` may be NULL. Returns 0, or an exit code after a
 * message. */
enum { MM_PORT_TYPE = 256 };
int mm_rules_check(const char *path, char port_type[MM_PORT_TYPE]);

/* --- answer.c ------------------------------------------------------------- */

/* The answer of a verb to a caller in this process (answers/answers.c). */
struct mm_answer {
    char *document; /* text of the last document; NULL: none. Free it with free() */
    char message[sizeof((struct cca_error *)0)->text]; /* first message; "": none */
};
/* From now on keep documents and messages in `answer`; NULL: print them. */
void mm_answer_keep(struct mm_answer *answer);
/* True if documents and messages are kept. */
int mm_answer_kept(void);
/* Print "mastermind: ", a message and a newline on stderr, or keep the message. */
void mm_message(const char *text);
/* Print a document and a newline on stdout, or keep it. Returns 0, or 1 on failure. */
int mm_document_put(const json_t *document);

/* --- model/model_at.c ----------------------------------------------------- */

/* Estimate the cost of a call at the point `at`, "Q=1e6,axis=x" or "", by the one model
 * that fits. `method` may be NULL. Returns -1, or an exit code after a message. */
int mm_model_cost_at(const struct mm_library *library, const char *class_name,
                     const char *method, const char *at, struct mm_estimate *estimate);

/* --- memory.c ------------------------------------------------------------- */

/* Record failed allocations of jansson from now on, and forget earlier ones: jansson
 * itself drops members, or reports a wrong text, when memory is out. */
void mm_memory_watch(void);
int mm_memory_failed(void);

/* --- output.c ------------------------------------------------------------- */

/* A name from a file, with control bytes escaped as \xNN, safe for a terminal. The text
 * is in one of eight static buffers: valid until eight more calls. */
const char *mm_safe(const char *name);
/* 48112 as "48,112" */
const char *mm_thousands(uint64_t value);
/* Text of a count with its noun, "1 call", "2 calls": the noun gets an s unless the count
 * is 1. */
const char *mm_counted(uint64_t count, const char *noun);
/* Text of a number to about three digits, with thousands separators: 18,231 1,162 12.4
 * 0.031 */
const char *mm_amount(double value);
/* Text of a time: 14.1 min, 18.2 s, 804 ms, 31.2 us, 12 ns */
const char *mm_time(double ns);
/* Text of a cost: like mm_time for a time, like mm_amount for a count. */
const char *mm_cost(const struct mm_metric *metric, double ns);
/* Text of a limit of a range: 2.1e3, 42, 0.5 */
const char *mm_range_number(double value);
/* Text of a share as a percentage: 0.28 %, 2.1 %, 160 % */
const char *mm_percent(double share);
/* Text of an interval about a value by the half-width of its logarithm: "+-12 %", from
 * 20 % on a factor, "x/ 1.4": from value / 1.4 to value * 1.4. */
const char *mm_plus_minus(double half);
/* Text of a factor: "4 x", "1.3 x". */
const char *mm_factor(double value);
/* The size of a memory, "1 MiB". */
const char *mm_bytes(double value);

/* A table for people: right-aligned columns as wide as their widest cell, then a name. */
enum { MM_TABLE_COLUMNS = 9, MM_CELL = 32 };
struct mm_table {
    int columns, width[MM_TABLE_COLUMNS];
    int print; /* true: print the table; false: only measure the widths of its columns */
};
/* Print a table. `rows` adds heads and rows with mm_table_row; it is called twice, first
 * to measure the widths. */
void mm_table_print(int columns,
                    void (*rows)(const void *context, struct mm_table *table),
                    const void *context);
void mm_cell_set(char cell[MM_CELL], const char *text);
void mm_table_row(struct mm_table *table, char cells[][MM_CELL], const char *name);

/* Print a cell of CSV, in quotes where it needs them (RFC 4180). */
void mm_csv_print(const char *text);
/* Make a new json string; bytes that are no UTF-8 are escaped. */
json_t *mm_json_escaped(const char *text);
/* Make a new real number; NULL if `value` is not finite, so that mm_json_put leaves the
 * member out. */
json_t *mm_json_finite(double value);
/* Set a member; a NULL value is left out. Steals `value`. */
void mm_json_put(json_t *object, const char *key, json_t *value);
/* Set members whose names are separated by blanks to as many values, at most 10. A number
 * that is not finite, or NULL, leaves its member out; texts are escaped; a json_t is
 * stolen. mm_json_object sets them in a new object. Each returns the object. */
#define mm_json_set(object, names, ...)                                                  \
    mm_json_put_all(object, names, (json_t *[]){MM_JSON_EACH(__VA_ARGS__)},              \
                    MM_JSON_PICK(__VA_ARGS__, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, ))
#define mm_json_object(names, ...) mm_json_set(json_object(), names, __VA_ARGS__)
json_t *mm_json_put_all(json_t *object, const char *names, json_t *const *values,
                        size_t count);
json_t *mm_json_same(json_t *value);
json_t *mm_json_integer(json_int_t value);
#define MM_JSON(value)                                                                   \
    _Generic((value),                                                                    \
        json_t *: mm_json_same,                                                          \
        char *: mm_json_escaped,                                                         \
        const char *: mm_json_escaped,                                                   \
        double: mm_json_finite,                                                          \
        default: mm_json_integer)(value)
#define MM_JSON_1(a) MM_JSON(a)
#define MM_JSON_2(a, ...) MM_JSON(a), MM_JSON_1(__VA_ARGS__)
#define MM_JSON_3(a, ...) MM_JSON(a), MM_JSON_2(__VA_ARGS__)
#define MM_JSON_4(a, ...) MM_JSON(a), MM_JSON_3(__VA_ARGS__)
#define MM_JSON_5(a, ...) MM_JSON(a), MM_JSON_4(__VA_ARGS__)
#define MM_JSON_6(a, ...) MM_JSON(a), MM_JSON_5(__VA_ARGS__)
#define MM_JSON_7(a, ...) MM_JSON(a), MM_JSON_6(__VA_ARGS__)
#define MM_JSON_8(a, ...) MM_JSON(a), MM_JSON_7(__VA_ARGS__)
#define MM_JSON_9(a, ...) MM_JSON(a), MM_JSON_8(__VA_ARGS__)
#define MM_JSON_10(a, ...) MM_JSON(a), MM_JSON_9(__VA_ARGS__)
#define MM_JSON_PICK(a, b, c, d, e, f, g, h, i, j, each, ...) each
#define MM_JSON_EACH(...)                                                                \
    MM_JSON_PICK(__VA_ARGS__, MM_JSON_10, MM_JSON_9, MM_JSON_8, MM_JSON_7, MM_JSON_6,    \
                 MM_JSON_5, MM_JSON_4, MM_JSON_3, MM_JSON_2, MM_JSON_1, )                \
    (__VA_ARGS__)
/* Make a new object with its schema, "mastermind/<verb>/1". */
json_t *mm_json_document(const char *verb);
/* Like mm_json_document for TIME; for another metric "mastermind/<verb>-metric/1" with
 * the metric's name and unit. */
json_t *mm_json_metric_document(const char *verb, const struct mm_metric *metric);
/* Set "key_s", seconds, or "key_ns", from nanoseconds of TIME; "key" for another metric.
 * `names` are as for mm_json_set, the values doubles. */
#define mm_json_set_seconds(object, metric, names, ...)                                  \
    mm_json_put_costs(object, metric, 1, names, (const double[]){__VA_ARGS__},           \
                      sizeof((const double[]){__VA_ARGS__}) / sizeof(double))
#define mm_json_set_ns(object, metric, names, ...)                                       \
    mm_json_put_costs(object, metric, 0, names, (const double[]){__VA_ARGS__},           \
                      sizeof((const double[]){__VA_ARGS__}) / sizeof(double))
void mm_json_put_costs(json_t *object, const struct mm_metric *metric, int in_seconds,
                       const char *names, const double *values, size_t count);
/* Make a new array of the notes of both lists; either may be NULL. */
json_t *mm_json_notes(const struct mm_notes *a, const struct mm_notes *b);
/* Print the document and free it. Returns an exit code. */
int mm_json_print(json_t *document);
/* Set the members name, instance, port, method, class, build and port type. */
void mm_json_put_method(json_t *object, const struct mm_method_info *method);
/* Flush stdout; returns `code`, or MM_EXIT_SYSTEM with a message if output failed or
 * memory was out. */
int mm_finish_output(int code);

#endif
