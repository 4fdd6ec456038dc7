/* SPDX-License-Identifier: BSD-3-Clause */
/* guards.h: guards written by other tools become conditions of the language. An
 * undeclared name becomes a global; so does a guard in prose. */
#ifndef ACTIVITY_XMI_GUARDS_H
#define ACTIVITY_XMI_GUARDS_H

#include <stddef.h>

#include "activity/xmi/graph.h"

enum { XMI_TURNS = 64 };

struct xmi_guards {
    const struct xmi_document *document;
    const char *declarations; /* text of the model's declarations, or "" */
    const char *locals; /* locals of the activity whose guards are converted, or "" */
    const char *turns[XMI_TURNS]; /* variables of the enclosing loops */
    int turn_count;
    char **globals; /* "NAME": globals that guards need */
    int *lines;     /* line of the file where each global was needed first */
    size_t count;
    const char *refused; /* a guard that has operators and yet is no condition, or NULL */
};

/* Convert a guard to a condition: a new string that the caller frees; NULL: out of
 * memory. */
char *xmi_condition(struct xmi_guards *guards, const char *guard, int line);
/* Declare a global, such as "Step_turns", unless it is there already. Returns its name,
 * borrowed; NULL: out of memory. */
const char *xmi_new_global(struct xmi_guards *guards, const char *name, int line);
void xmi_guards_done(struct xmi_guards *guards);

/* Turn words into a name: letters, digits and _, not a keyword of the language;
 * `otherwise` if nothing is left. New. */
char *xmi_name(const char *words, const char *otherwise);

#endif
