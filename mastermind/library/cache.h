/* SPDX-License-Identifier: BSD-3-Clause */
/* cache.h: what is made once for a file and kept for the user. */
#ifndef MASTERMIND_LIBRARY_CACHE_H
#define MASTERMIND_LIBRARY_CACHE_H

#include <stdint.h>

#include "ports/cca_error.h"

/* Two hashes of 64 bits (FNV-1a) with different starts: no two keys meet by chance. */
struct mm_cache_key {
    uint64_t a, b;
};

#define MM_CACHE_KEY                                                                     \
    {                                                                                    \
        14695981039346656037u, 0x1234567890abcdefu                                       \
    }

void mm_cache_add(struct mm_cache_key *key, const char *text);
/* A file by its path, size and time of its last change. */
void mm_cache_add_file(struct mm_cache_key *key, const char *path);

/* The folder for things of one kind, made where it is not there:
 * $XDG_CACHE_HOME/mastermind/WHAT, else ~/.cache/mastermind/WHAT, else
 * /tmp/mastermind-USER/WHAT. Nobody else can write to it, and its name has neither blank
 * nor ':' nor '$'. New, or NULL with `err`, or without: out of memory. */
char *mm_cache_folder(const char *what, struct cca_error *err);

#endif
