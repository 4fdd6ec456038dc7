/* SPDX-License-Identifier: BSD-3-Clause */
/* property.h: a property as a file states it: `key: value`, one property a file.
 *
 *   name: CommunicationOverhead
 *   doc: time in communication as a share of the basis
 *   for: summary
 *   severity: comm_time / basis.exec_time
 *
 * Keys: name, doc, for, severity are needed; basis, where, params, holds, confidence,
 * over, because may stand. A line that begins with a blank goes on the value above it; a
 * line that begins with `#` is a comment. Source: Fahringer and Seragiotto, SC2001,
 * section 5 (Property, SimpleProperty, Metaproperty). */
#ifndef PROPERTIES_WORDS_PROPERTY_H
#define PROPERTIES_WORDS_PROPERTY_H

#include <stddef.h>

#include "ports/cca_error.h"

/* What one value of a property is of. */
enum mm_property_for {
    MM_FOR_SUMMARY,     /* a region on a unit: view rs, and its basis as basis.* */
    MM_FOR_REGION,      /* a region in an experiment: rs grouped over units */
    MM_FOR_EXPERIMENTS, /* a region in a parallel run, or a set of runs, against a
                           sequential one */
    MM_FOR_MESSAGES,    /* sampled messages between two callsites: view msg */
    MM_FOR_PROPERTIES   /* a Metaproperty: results of other properties */
};

/* The text of a value and the line it begins in, for messages. */
struct mm_property_text {
    char *text; /* NULL: the key is not there */
    int line;
};

struct mm_property_param {
    char *name;
    double value;
};

/* All strings are owned by the property. */
struct mm_property {
    char *path; /* as it was given */
    struct mm_property_text name, doc, basis, where, severity, holds, confidence, over;
    enum mm_property_for object;
    int for_line;
    struct mm_property_param *params; /* `params: level=2, least=0.5` */
    size_t param_count;
    int params_line;
    char **because; /* names of properties that may be its causes, `because: A, B` */
    size_t because_count;
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
