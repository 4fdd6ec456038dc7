/* SPDX-License-Identifier: BSD-3-Clause */
/* called.h: write methods.called, the file of methods that have been called at least once
 * (mastermind/format/called_file.h). */
#ifndef MASTERMIND_WRITER_SESSION_CALLED_H
#define MASTERMIND_WRITER_SESSION_CALLED_H

#include "mastermind/writer/parts.h"

#include <limits.h>

/* The file methods.called while it is written. A struct of zeros has no file. */
struct mm_called {
    char path[PATH_MAX];
    char *base; /* address range for the whole file, of which the first `mapped` bytes are
                   mapped */
    size_t mapped, room;
};

/* Return a new text with the members of a method's JSON object that many methods have in
 * common: "instance" to "entry", with the closing brace. NULL: out of memory. */
char *mm_called_shared(enum mm_entry_kind entry, const struct monitor_method_decl *decl);
/* If names in a method's own members, "method" and "values", need JSON's escapes, set
 * `*text` to a new text with these members; else to NULL: then mm_called_add can write
 * them itself. Returns 0 or -ENOMEM. */
int mm_called_escaped(const struct monitor_method_decl *decl, char **text);

/* Make the file in `dir`, with room for `most` methods. Returns 0, or a negative errno
 * with `err`. */
int mm_called_make(struct mm_called *called, const char *dir, size_t most,
                   struct cca_error *err);
/* Add a method. `text` is from mm_called_escaped, `shared` from mm_called_shared. Uses
 * neither locks nor the heap; one caller at a time. Returns 0 or a negative errno: the
 * disk is full, or the file was removed. */
int mm_called_add(struct mm_called *called, uint32_t id,
                  const struct monitor_method_decl *decl, const char *text,
                  const char *shared);
/* Add all methods of the file to the text of methods.json. Returns 0 or -ENOMEM. */
int mm_called_note(const struct mm_called *called, struct mm_methods *methods);
/* Remove the file, once methods.json has its methods. */
void mm_called_remove(struct mm_called *called);

#endif
