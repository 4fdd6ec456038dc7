/* SPDX-License-Identifier: BSD-3-Clause */
/* entries.h: find the functions of a file that begin with room for a jump
 * (-fpatchable-function-entry), and where their arguments are, from debug information. */
#ifndef MASTERMIND_LIBRARY_ENTRIES_H
#define MASTERMIND_LIBRARY_ENTRIES_H

#include "ports/cca_error.h"

/* True if the file, a program or library, has such functions. */
int mm_entries_there(const char *file);

/* True if functions of the file call the hooks of -finstrument-functions. */
int mm_entries_hooked(const char *file);

/* Get the table of these functions, a text file stored in
 * $XDG_CACHE_HOME/mastermind/entries, which mastermind/preload/entries.c reads. A line
 * for each function:
 *
 *     ADDRESS LENGTH COPIED SYMBOL GROUP COUNT [NAME KIND REGISTER SIZE SIGNED
 * REFERENCE]...
 *
 * ADDRESS (hexadecimal, of the file) of the first of LENGTH no-op bytes; COPIED: most
 * bytes of arguments on the stack; GROUP is the same for all variants that a compiler has
 * made of one function; values: KIND p a size, m a mode; REGISTER 0 to 5, in the order of
 * arguments; SIZE in bytes; REFERENCE 1: the register points to it. LENGTH 0: it cannot
 * be recorded, and GROUP is the reason, a word.
 *
 *   table  out  path of the table, new
 *
 * Returns 0, or a negative errno with `err`: -ENODATA no debug information, or this build
 * is without libdw; -EIO; -EBADMSG damaged; -ENOTSUP not of this machine; -ENOMEM. */
int mm_entries_get(const char *file, char **table, struct cca_error *err);

#endif
