/* SPDX-License-Identifier: BSD-3-Clause */
/* match.h: whether a run is the one that a statement is about. */
#ifndef MASTERMIND_LEDGER_MATCH_H
#define MASTERMIND_LEDGER_MATCH_H

#include <stdint.h>

#include "mastermind/ledger/ledger.h"
#include "mastermind/reader/wiring.h"

#define MM_PROGRAM_TEXT 17

/* The identity of a program, 16 hexadecimal digits: a hash over the names of instances,
 * the connections with their port types, and the go commands, in any order; not over
 * classes, of which a question may ask for others, nor over ports that are not connected,
 * which such classes may have. 0 or -ENOMEM. program.c */
int mm_ledger_program(const struct mm_wiring *wiring, char text[MM_PROGRAM_TEXT]);

/* True where the outcome is a run of the statement's program, ranks, classes and
 * parameters, by the same metric and kind of total. Machine and time are not compared.
 *
 * Parameters that the script set decide, not the variables that it set them from: those
 * are compared where both have them. Numbers are compared as numbers; names of files and
 * of the statement's `names` not at all, nor a variable that names the class of an
 * instance. */
int mm_ledger_same_run(const struct mm_ledger_entry *statement,
                       const struct mm_ledger_entry *outcome);
/* A hash that is equal where mm_ledger_same_run is true of a statement without names. */
uint64_t mm_ledger_key(const struct mm_ledger_entry *entry);
/* True where the outcome began after the statement was made, and is none of its runs. */
int mm_ledger_is_later(const struct mm_ledger_entry *statement,
                       const struct mm_ledger_entry *outcome);

#endif
