/* SPDX-License-Identifier: BSD-3-Clause */
/* words.h: the words of our profile: stereotypes for kinds of elements, as the classes of
 * the paper's C++ (Figure 4.2). */
#ifndef ACTIVITY_XMI_WORDS_H
#define ACTIVITY_XMI_WORDS_H

#include "activity/model/tree.h"

#define XMI_PROFILE "urn:mastermind:activity:1"

/* "ActionPlus", "AllReduce"; NULL: a kind without one (if, loop, while, call). */
const char *xmi_stereotype(enum act_kind kind);
/* The kind of a stereotype in any case of letters, also of "action", "action+", "recv".
 * ACT_KINDS: none. */
enum act_kind xmi_kind_of(const char *stereotype);

#endif
