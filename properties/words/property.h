/* SPDX-License-Identifier: BSD-3-Clause */
/* property.h: a property, read from a file of lines `key: value`, one property per file.
 *
 *   name: CommunicationOverhead
 *   doc: time in communication as a share of the basis
 *   for: summary
 *   severity: comm_time / basis.exec_time
 *
 * The keys name, doc, for and severity are required, and `of` for properties; basis,
 * where, params, holds, confidence, by, over, because and ask are optional. A line that
 * begins with a blank continues the value above it; a line that begins with `#` is a
 * comment. Source: Fahringer and Seragiotto, SC2001, section 5 (Property, SimpleProperty,
 * Metaproperty). */
#ifndef PROPERTIES_WORDS_PROPERTY_H
#define PROPERTIES_WORDS_PROPERTY_H

#include <stddef.h>

#include "ports/cca_error.h"

/* The objects that a property is evaluated for. */
enum mm_property_for {
    MM_FOR_SUMMARY,     /* summary: a region on a unit, view rs; columns of its basis are
                         * basis.* */
    MM_FOR_REGION,      /* region: a region in a run, aggregates over units */
    MM_FOR_EXPERIMENTS, /* experiments: parallel runs, par.*, compared with one sequential
                         * run, seq.* */
    MM_FOR_MESSAGES,    /* messages: sampled messages between two callsites, table
                         * message */
    MM_FOR_COLLECTIVES, /* collectives: sampled calls at a callsite, table collective */
    MM_FOR_PROPERTIES,  /* properties: a Metaproperty, over answers of other properties */
    MM_FOR_COUNT
};
/* Names of the objects, by enum mm_property_for: "summary" and so on. */
extern const char *const mm_property_objects[MM_FOR_COUNT];

/* The unit from which the basis is taken: the unit for which the property is evaluated,
 * or the unit that spent most time in the basis. */
enum mm_property_basis { MM_BASIS_UNIT, MM_BASIS_SLOWEST };
/* The sets over which the answers of members are combined. */
enum mm_property_by { MM_BY_REGION, MM_BY_SET };

/* The text of a value and the line where it begins, for messages. */
struct mm_property_text {
    char *text; /* text of the value; NULL: the file lacks the key */
    int line;
};

struct mm_property_param {
    char *name;
    double value;
};

/* Evaluates a property that is no file, but a component (properties/plugin). The types
 * are declared in properties/evaluate/evaluate.h, whose functions call these. */
struct mm_property;
struct mm_property_answers;
struct mm_property_question;
struct mm_store;
struct mm_property_code {
    int share_of_region; /* 1: severities are shares of the region's time, not of the
                          * basis */
    /* Evaluate the property, as mm_property_evaluate does; `answers` is empty. */
    int (*evaluate)(struct mm_property_code *self, struct mm_property_answers *answers,
                    struct mm_store *store, const struct mm_property *property,
                    const struct mm_property_question *question, struct cca_error *err);
    /* Check the property, as mm_property_lint does. */
    int (*lint)(struct mm_property_code *self, struct mm_store *store,
                const struct mm_property *property, struct cca_error *err);
    void (*free)(struct mm_property_code *self);
};

/* All strings are owned by the property. */
struct mm_property {
    char *path; /* path of the property's file as given by the caller */
    struct mm_property_text name, doc, where, severity, holds, confidence;
    enum mm_property_for object;
    int for_line;
    enum mm_property_basis basis; /* `basis: unit` (default), `basis: slowest` */
    enum mm_property_by by; /* `by: region` (default: a region in a run), `by: set` (a
                             * region in all runs) */
    int over_holding; /* 1: `over: holding`, only members that hold; 0: `over: all` */
    char **of;        /* names of members, `of: A, B` */
    size_t of_count;
    int of_line;
    struct mm_property_param *params; /* `params: level=2, least=0.5` */
    size_t param_count;
    char **because; /* names of properties that may be its causes, `because: A, B` */
    size_t because_count;
    int only_named; /* `ask: named`: evaluated only if its name is given, because it
                     * repeats other properties; else `ask: always` */
    /* code of a component, owned; NULL: the property is a file. For a component `path` is
     * the path of its library, and `severity` is empty */
    struct mm_property_code *code;
};

/* Read a file. Returns 0 with *property (free it with mm_property_free); -ENOENT;
 * -EBADMSG with "file:line: found, expected"; -ENOMEM. At most 64 KiB and 1,000 lines are
 * read. */
int mm_property_read(struct mm_property **property, const char *path,
                     struct cca_error *err);
/* Read a property from bytes in memory, which need not end in 0; `path` is used in
 * messages. */
int mm_property_parse(struct mm_property **property, const char *path, const char *bytes,
                      size_t size, struct cca_error *err);
void mm_property_free(struct mm_property *property);

#endif
