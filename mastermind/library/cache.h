/* SPDX-License-Identifier: BSD-3-Clause */
/* cache.h: store generated files for the user, under a key that is computed from their
 * inputs. */
#ifndef MASTERMIND_LIBRARY_CACHE_H
#define MASTERMIND_LIBRARY_CACHE_H

#include <stdint.h>

#include "ports/cca_error.h"

/* A key: two hashes of 64 bits (FNV-1a) with different start values, so that different
 * inputs practically never have the same key. */
struct mm_cache_key {
    uint64_t a, b;
};

#define MM_CACHE_KEY                                                                     \
    {                                                                                    \
        14695981039346656037u, 0x1234567890abcdefu                                       \
    }

void mm_cache_add(struct mm_cache_key *key, const char *text);
/* Add a file's path, size and time of last change to the key. */
void mm_cache_add_file(struct mm_cache_key *key, const char *path);

/* Return the folder for generated files of one kind, created if it does not exist:
 * $XDG_CACHE_HOME/mastermind/WHAT, else ~/.cache/mastermind/WHAT, else
 * /tmp/mastermind-USER/WHAT. Only this user can write to it, and its name has no blank,
 * ':' or '$'. A new string; NULL with `err`, or NULL without: out of memory. */
char *mm_cache_folder(const char *what, struct cca_error *err);

/* Replace the file at this path. Returns 0 or a negative errno. */
int mm_cache_write(const char *path, const char *bytes, size_t size);

#endif
