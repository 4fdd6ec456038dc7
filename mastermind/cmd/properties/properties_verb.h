/* SPDX-License-Identifier: BSD-3-Clause */
/* properties_verb.h: shared by the files of the verb `properties`, and by `search`, which
 * evaluates properties after each run. */
#ifndef MASTERMIND_CMD_PROPERTIES_PROPERTIES_VERB_H
#define MASTERMIND_CMD_PROPERTIES_PROPERTIES_VERB_H

#include <jansson.h>

#include "properties/causes/doubt.h"
#include "properties/causes/findings.h"
#include "properties/causes/why.h"
#include "properties/evaluate/evaluate.h"
#include "properties/evaluate/world.h"

/* --- library.c: the property files -------------------------------------------------- */

enum { PROPERTIES_LINES = 20 }; /* largest number of lines of the table without --limit */

struct properties_library {
    struct mm_property **all;
    size_t count;
    unsigned char *asked; /* [count] true for a property selected by --property; the
                             others serve as members of Metaproperties */
};

/* Directories of components, besides the program's own; borrowed. */
struct properties_path {
    const char *const *directories;
    size_t count;
    int trust; /* true to accept directories that other users can write to */
};

/* Read the property files that come with the program (or those of MASTERMIND_PROPERTIES,
 * if set) and select by `words`: globs of names, or paths of property files and
 * components (*.so). Without words all are selected. Returns -1 to go on, else an exit
 * code; call properties_library_done in any case. */
int properties_library_read(struct properties_library *library, const char *const *words,
                            size_t count);
int properties_library_read_path(struct properties_library *library,
                                 const char *const *words, size_t count,
                                 const struct properties_path *path);
void properties_library_done(struct properties_library *library);

/* --- ask.c: everything asked of some runs ------------------------------------------- */

struct properties_asked {
    /* The request; borrowed. */
    char *const *paths; /* experiments and stores */
    size_t path_count;
    const char *sequential, *basis, *region; /* values of --seq, --basis and --region;
                                              * NULL: not given */
    double threshold, confidence;
    unsigned looks;
    double seconds; /* time limit of each property; 0: 60 s */
    size_t limit;   /* largest number of lines of the table */
    int everything; /* true to include regions with little time, and calling contexts */
    /* The results. */
    struct properties_library library;
    struct mm_store *store;
    struct mm_doubt *doubt;
    struct mm_world world;
    int64_t *experiments; /* [experiment_count] ids of the runs, without the sequential
                           * run */
    size_t experiment_count;
    int64_t sequential_id; /* id of the sequential run; 0: none */
    int sequential_found;  /* true if the sequential run is the only run on one processing
                            * unit, not named by --seq */
    struct mm_named_answer *answers;
    struct mm_property_answers *kept; /* [library.count] results of each property;
                                         `answers` borrows their strings */
    size_t answer_count;
    struct mm_place *places;
    size_t small; /* number of regions left out because of too little time */
    struct mm_findings findings;
    struct mm_causes causes;
    struct cca_error err;
};

/* Load the runs, evaluate the properties, compute confidence, and rank. The library must
 * have been read. Returns -1 to go on, else an exit code; call properties_asked_done in
 * any case. */
int properties_ask(struct properties_asked *asked);
/* Write the runs and all answers to a new store at `path`. Returns -1 to go on. */
int properties_write(const struct properties_asked *asked, const char *path);
void properties_asked_done(struct properties_asked *asked);

/* --- text.c ------------------------------------------------------------------------- */

/* Print the ranked table; with `why` print causes below each finding. */
void properties_print(const struct properties_asked *asked, int why);
/* Print the lines below a table: counts, reasons, advised runs. */
void properties_print_notes(const struct properties_asked *asked);
/* Write cells: a severity "0.31 (0.27 .. 0.35)"; a confidence "0.999", rounded down; the
 * name of a region, of a long name only the last 44 bytes. */
void properties_put_severity(char *text, size_t size, double severity, double low,
                             double high);
void properties_put_confidence(char *text, size_t size, double confidence);
void properties_put_region(char *text, size_t size, const struct properties_asked *asked,
                           int64_t region);
/* True if the runs have several configurations. */
int properties_has_several(const struct properties_asked *asked);

/* --- answers.c, documents.c --------------------------------------------------------- */

/* Print every answer, whether the property holds or not. */
void properties_print_all(const struct properties_asked *asked);
void properties_print_csv(const struct properties_asked *asked);
/* Make a new document, mastermind/properties/1; `all` includes every answer. */
json_t *properties_json(const struct properties_asked *asked, int all);

#endif
