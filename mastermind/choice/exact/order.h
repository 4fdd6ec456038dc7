/* SPDX-License-Identifier: BSD-3-Clause */
/* order.h: the order in which slots are assigned. */
#ifndef MASTERMIND_CHOICE_EXACT_ORDER_H
#define MASTERMIND_CHOICE_EXACT_ORDER_H

#include "mastermind/choice/exact/network.h"

/* Order the slots such that eliminating them from the last to the first adds few links:
 * at each step take the slot that adds the fewest links, among these the one with the
 * smallest table, then the last one. `order` [slot_count]. 0 or -ENOMEM. */
int mm_order_min_fill(const struct mm_network *network, size_t *order);

#endif
