/* SPDX-License-Identifier: BSD-3-Clause */
/* entries.h: the functions of a file whose beginning can be a jump to the recorder, and
 * where their arguments are, from its debug information. */
#ifndef MASTERMIND_LIBRARY_ENTRIES_H
#define MASTERMIND_LIBRARY_ENTRIES_H

#include "ports/cca_error.h"

/* True where the compiler has left room for jumps in functions of the file, a program or
 * library (-fpatchable-function-entry). */
int mm_entries_there(const char *file);

/* True where functions of the file call the hooks of -finstrument-functions. */
int mm_entries_hooked(const char *file);

/* Return the table of functions of a file whose beginning can be a jump, kept in
 * $XDG_CACHE_HOME/mastermind/entries by the file's path and build-id: a text file that
 * mastermind/preload/tables.c reads. Its first line is *     mastermind/entries/4 KIND
 * FILE * KIND l: the compiler has left room for jumps in its functions; -: it has not.
 * Then a line for each function: *     SITE LENGTH SYMBOL GROUP ORIGINAL MOVED FIXES
 * COUNT [NAME KIND REGISTER SIZE SIGNED REFERENCE]... SITE 0 SYMBOL REASON * SITE
 * (hexadecimal, address of the file) of the jump, and LENGTH bytes there that are
 * replaced; GROUP is equal for all variants of one function; ORIGINAL are the bytes,
 * MOVED (-: none) their equivalent elsewhere, both hexadecimal. FIXES (-: none) are
 * AT,SIZE,END,TARGET of struct mm_code_fix, hexadecimal, with ';' between them. Values:
 * KIND p a size, m a mode; REGISTER 0 to 5, in the order of arguments; SIZE in bytes;
 * REFERENCE 1: the register points to it. REASON is a word of mm_code_words. *   table
 * out  its path, new * 0, or a negative errno with `err`: -ENOTSUP no function of it can
 * be recorded; -ENOEXEC not of this machine; -EIO; -EBADMSG damaged; -ENOMEM. */
int mm_entries_get(const char *file, char **table, struct cca_error *err);

#endif
