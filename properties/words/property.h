/* SPDX-License-Identifier: BSD-3-Clause */
/* property.h: a property as a file states it: `key: value`, one property a file.
 *
 *   name: CommunicationOverhead
 *   doc: time in communication as a share of the basis
 *   for: summary
 *   severity: comm_time / basis.exec_time
 *
 * Keys: name, doc, for, severity are needed, `of` where it is for properties; basis,
 * where, params, holds, confidence, by, over, because, ask may stand. A line that begins
 * with a blank goes on the value above it; a line that begins with `#` is a comment.
 * Source: Fahringer and Seragiotto, SC2001, section 5 (Property, SimpleProperty,
 * Metaproperty).
 */
#ifndef PROPERTIES_WORDS_PROPERTY_H
#define PROPERTIES_WORDS_PROPERTY_H

#include <stddef.h>

#include "ports/cca_error.h"

/* What one value of a property is of. */
enum mm_property_for {
    MM_FOR_SUMMARY,     /* summary: a region on a unit, view rs; its basis is basis.* */
    MM_FOR_REGION,      /* region: a region in a run, aggregates over units */
    MM_FOR_EXPERIMENTS, /* experiments: parallel runs, par.*, against one, seq.* */
    MM_FOR_MESSAGES,    /* messages: sampled ones between two callsites, table message */
    MM_FOR_COLLECTIVES, /* collectives: sampled calls at a callsite, table collective */
    MM_FOR_PROPERTIES,  /* properties: a Metaproperty, over answers of other properties */
    MM_FOR_COUNT
};
/* "summary" and so on. */
extern const char *const mm_property_objects[MM_FOR_COUNT];

/* Whose summary the basis is: of the same unit, or of the unit that was longest in it. */
enum mm_property_basis { MM_BASIS_UNIT, MM_BASIS_SLOWEST };
/* Over what the answers of members are taken together. */
enum mm_property_by { MM_BY_REGION, MM_BY_SET };

/* The text of a value and the line it begins in, for messages. */
struct mm_property_text {
    char *text; /* NULL: the key is not there */
    int line;
};

struct mm_property_param {
    char *name;
    double value;
};

/* What evaluates a property that is no file: a component (properties/plugin). The types
 * are those of properties/evaluate/evaluate.h, whose functions call these. */
struct mm_property;
struct mm_property_answers;
struct mm_property_question;
struct mm_store;
struct mm_property_code {
    int share_of_region; /* severities are shares of the region's time, not the basis' */
    /* As mm_property_evaluate; `answers` is empty. */
    int (*evaluate)(struct mm_property_code *self, struct mm_property_answers *answers,
                    struct mm_store *store, const struct mm_property *property,
                    const struct mm_property_question *question, struct cca_error *err);
    /* As mm_property_lint. */
    int (*lint)(struct mm_property_code *self, struct mm_store *store,
                const struct mm_property *property, struct cca_error *err);
    void (*free)(struct mm_property_code *self);
};

/* All strings are owned by the property. */
struct mm_property {
    char *path; /* as it was given */
    struct mm_property_text name, doc, where, severity, holds, confidence;
    enum mm_property_for object;
    int for_line;
    enum mm_property_basis basis; /* `basis: unit` (the usual), `basis: slowest` */
    enum mm_property_by by; /* `by: region` (the usual: a region in a run), `by: set`
                               (a region in all runs) */
    int over_holding;       /* `over: holding`: of members only those that hold; else
                               `over: all` */
    char **of;              /* members by name, `of: A, B` */
    size_t of_count;
    int of_line;
    struct mm_property_param *params; /* `params: level=2, least=0.5` */
    size_t param_count;
    char **because; /* names of properties that may be its causes, `because: A, B` */
    size_t because_count;
    int only_named; /* `ask: named`: asked only where its name is given, for it repeats
                       what others say; else `ask: always` */
    struct mm_property_code *code; /* owned; NULL: a file. Else `path` is that of the
                                      component, and `severity` is empty */
};

/* Read a file. 0 and `*property` (free it with mm_property_free); -ENOENT; -EBADMSG with
 * "file:line: found, expected"; -ENOMEM. At most 64 KiB and 1,000 lines are read. */
int mm_property_read(struct mm_property **property, const char *path,
                     struct cca_error *err);
/* The same from bytes in memory, which need not end in 0; `path` is for messages. */
int mm_property_parse(struct mm_property **property, const char *path, const char *bytes,
                      size_t size, struct cca_error *err);
void mm_property_free(struct mm_property *property);

#endif
