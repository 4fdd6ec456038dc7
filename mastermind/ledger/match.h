/* SPDX-License-Identifier: BSD-3-Clause */
/* match.h: decide whether a statement is about a given run. */
#ifndef MASTERMIND_LEDGER_MATCH_H
#define MASTERMIND_LEDGER_MATCH_H

#include <stdint.h>

#include "mastermind/ledger/ledger.h"
#include "mastermind/reader/wiring.h"

#define MM_PROGRAM_TEXT 17

/* Compute the identity of a program, 16 hexadecimal digits: a hash over the names of
 * instances, the connections with their port types, and the `go` commands, in any order.
 * It does not depend on classes, which a prediction may replace, nor on unconnected
 * ports, which other classes may have. Returns 0 or -ENOMEM. (program.c) */
int mm_ledger_program(const struct mm_wiring *wiring, char text[MM_PROGRAM_TEXT]);

/* True if the outcome is a run of the statement's program with the statement's ranks,
 * classes and parameters, and has the same metric and kind of total. Machine and time are
 * not compared.
 *
 * Parameters that the script has set decide, not the variables from which it has set
 * them; variables are compared if both entries have them. Numbers are compared as
 * numbers. Names of files, `names` of the statement, and variables that name the class of
 * an instance are not compared. */
int mm_ledger_same_run(const struct mm_ledger_entry *statement,
                       const struct mm_ledger_entry *outcome);
/* Return a hash that is equal if mm_ledger_same_run is true for a statement without
 * `names`. */
uint64_t mm_ledger_key(const struct mm_ledger_entry *entry);
/* True if the outcome began after the statement was made, and is none of the runs on
 * which the statement is
 * based. */
int mm_ledger_is_later(const struct mm_ledger_entry *statement,
                       const struct mm_ledger_entry *outcome);

#endif
