/* SPDX-License-Identifier: BSD-3-Clause */
/* entries.h: list the functions of a file whose first bytes can be replaced by a jump to
 * the recorder, and, from its debug information, where their arguments are. */
#ifndef MASTERMIND_LIBRARY_ENTRIES_H
#define MASTERMIND_LIBRARY_ENTRIES_H

#include "ports/cca_error.h"

/* True if the compiler has left room for jumps in functions of the file, a program or
 * library (-fpatchable-function-entry). */
int mm_entries_there(const char *file);

/* True if functions of the file call the hooks of -finstrument-functions. */
int mm_entries_hooked(const char *file);

/* Make the table of functions of a file whose first bytes can be replaced by a jump, or
 * find it in the cache, $XDG_CACHE_HOME/mastermind/entries, by the file's path and
 * build-id. It is a text file, which mastermind/preload/tables.c reads. Its first line is
 * *     mastermind/entries/4 KIND FILE * KIND l: the compiler has left room for jumps in
 * its functions; -: it has not. Then a line for each function: *     SITE LENGTH SYMBOL
 * GROUP ORIGINAL MOVED FIXES COUNT [NAME KIND REGISTER SIZE SIGNED REFERENCE]... SITE 0
 * SYMBOL REASON * SITE (hexadecimal, address of the file) of the jump, and LENGTH bytes
 * there that are replaced; GROUP is equal for all variants of one function; ORIGINAL are
 * the bytes, MOVED (-: none) their equivalent elsewhere, both hexadecimal. FIXES (-:
 * none) are AT,SIZE,END,TARGET of struct mm_code_fix, hexadecimal, with ';' between them.
 * Values: KIND p a size, m a mode; REGISTER 0 to 5, in the order of arguments; SIZE in
 * bytes; REFERENCE 1: the register points to it. REASON is a word of mm_code_words. *
 * table  out  path of the table, new
 *
 * Returns 0, or a negative errno with `err`: -ENOTSUP: none of its functions can be
 * recorded; -ENOEXEC: not for this machine; -EIO; -EBADMSG: damaged; -ENOMEM. */
int mm_entries_get(const char *file, char **table, struct cca_error *err);

#endif
