/* SPDX-License-Identifier: BSD-3-Clause */
/* properties_verb.h: the parts of the verb `properties`, and of `search`, which asks the
 * same after each run. */
#ifndef MASTERMIND_CMD_PROPERTIES_PROPERTIES_VERB_H
#define MASTERMIND_CMD_PROPERTIES_PROPERTIES_VERB_H

#include <jansson.h>

#include "properties/causes/doubt.h"
#include "properties/causes/findings.h"
#include "properties/causes/why.h"
#include "properties/evaluate/evaluate.h"
#include "properties/evaluate/world.h"

/* --- library.c: the property files ---------------------------------------------------
 */

enum { PROPERTIES_LINES = 20 }; /* of the table, unless --limit says otherwise */

struct properties_library {
    struct mm_property **all;
    size_t count;
    unsigned char *asked; /* [count] chosen by --property; others serve as members */
};

/* Directories of components, beside the program's own; borrowed. */
struct properties_path {
    const char *const *directories;
    size_t count;
    int trust; /* also what other users could have written */
};

/* Read the files that come with the program (of MASTERMIND_PROPERTIES, if it is set) and
 * those of `words`, which are globs of names or paths of files, property files or
 * components (*.so); without any, all are asked. Returns -1 to go on, else an exit code;
 * properties_library_done in any case. */
int properties_library_read(struct properties_library *library, const char *const *words,
                            size_t count);
int properties_library_read_path(struct properties_library *library,
                                 const char *const *words, size_t count,
                                 const struct properties_path *path);
void properties_library_done(struct properties_library *library);
/* The directory of the files that come with the program, in a static buffer. */
const char *properties_library_path(void);

/* --- ask.c: everything asked of some runs
 * ----------------------------------------------- */

struct properties_asked {
    /* What is asked; borrowed. */
    char *const *paths; /* experiments and stores */
    size_t path_count;
    const char *sequential, *basis, *region; /* NULL: none given */
    double threshold, confidence;
    unsigned looks;
    double seconds; /* deadline of each property; 0: 60 */
    size_t limit;   /* lines of the table */
    int everything; /* regions with little time, and calling contexts, too */
    /* What is found. */
    struct properties_library library;
    struct mm_store *store;
    struct mm_doubt *doubt;
    struct mm_world world;
    int64_t *experiments; /* [experiment_count] without the sequential one */
    size_t experiment_count;
    int64_t sequential_id; /* 0: none */
    int sequential_found;  /* it was not named, but is the only run on one unit */
    struct mm_asked *answers;
    struct mm_property_answers *kept; /* [library.count], whose strings answers borrow */
    size_t answer_count;
    struct mm_place *places;
    size_t small; /* regions that were not asked, for they have too little time */
    struct mm_findings findings;
    struct mm_causes causes;
    struct cca_error err;
};

/* Load the runs, evaluate, weigh and rank. The library must have been read. Returns -1 to
 * go on, else an exit code; properties_asked_done in any case. */
int properties_ask(struct properties_asked *asked);
/* Write the runs and all answers to the new store `path`. Returns -1 to go on. */
int properties_write(const struct properties_asked *asked, const char *path);
void properties_asked_done(struct properties_asked *asked);

/* --- text.c
 * ------------------------------------------------------------------------------ */

/* The ranked table; with `why` causes below each. */
void properties_print(const struct properties_asked *asked, int why);
/* What is below a table: counts, reasons, runs to be looked at. */
void properties_print_notes(const struct properties_asked *asked);
/* Cells: "0.31 (0.27 .. 0.35)"; "0.999", rounded towards doubt; the name of a region, of
 * a long one the end, at most 44 bytes. */
void properties_put_severity(char *text, size_t size, double severity, double low,
                             double high);
void properties_put_confidence(char *text, size_t size, double confidence);
void properties_put_region(char *text, size_t size, const struct properties_asked *asked,
                           int64_t region);
/* True where runs of several configurations are asked about. */
int properties_has_several(const struct properties_asked *asked);

/* --- answers.c, documents.c
 * ---------------------------------------------------------------- */

/* Every answer, held or not. */
void properties_print_all(const struct properties_asked *asked);
void properties_print_csv(const struct properties_asked *asked);
/* The document mastermind/properties/1, new; with every answer if `all`. */
json_t *properties_json(const struct properties_asked *asked, int all);

#endif
