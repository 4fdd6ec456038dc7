/* SPDX-License-Identifier: BSD-3-Clause */
/* words.h: stereotype names of our UML profile, one for each kind of element. They are
 * the C++ classes of the paper (Figure 4.2). */
#ifndef ACTIVITY_XMI_WORDS_H
#define ACTIVITY_XMI_WORDS_H

#include "activity/model/tree.h"

#define XMI_PROFILE "urn:mastermind:activity:1"

/* "ActionPlus", "AllReduce"; NULL: the kind has no stereotype (if, loop, while, call). */
const char *xmi_stereotype(enum act_kind kind);
/* The kind of a stereotype, in any case; "action", "action+" and "recv" are accepted,
 * too. ACT_KINDS: none. */
enum act_kind xmi_kind_of(const char *stereotype);

#endif
