/* SPDX-License-Identifier: BSD-3-Clause */
/* guards.h: guards of other tools as conditions of the language. A name that nobody
 * declared becomes a global; words that are no condition become one, too. */
#ifndef ACTIVITY_XMI_GUARDS_H
#define ACTIVITY_XMI_GUARDS_H

#include <stddef.h>

#include "activity/xmi/graph.h"

enum { XMI_TURNS = 64 };

struct xmi_guards {
    const struct xmi_document *document;
    const char *declarations;     /* of the model, or "" */
    const char *locals;           /* of the activity whose guards are asked, or "" */
    const char *turns[XMI_TURNS]; /* of loops around */
    int turn_count;
    char **globals; /* "NAME", declared for guards */
    int *lines;     /* of the file, where each was needed first */
    size_t count;
    const char *refused; /* a guard with operators that is no condition, or NULL */
};

/* A guard as a condition: new, the caller's; NULL: out of memory. */
char *xmi_condition(struct xmi_guards *guards, const char *guard, int line);
/* A global that is not yet there, such as "Step_turns". Returns its name, borrowed; NULL:
 * out of memory. */
const char *xmi_new_global(struct xmi_guards *guards, const char *name, int line);
void xmi_guards_done(struct xmi_guards *guards);

/* Words as a name of the language: letters, digits and _, no word of the language. New.
 */
char *xmi_name(const char *words, const char *otherwise);

#endif
