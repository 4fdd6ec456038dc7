/* SPDX-License-Identifier: BSD-3-Clause */
/* hash.h: the hash function FNV-1a with 64 bits (G. Fowler, L. Noll, K. Vo).
 *
 * A hash begins with the value CCA_HASH_START; another start value gives another hash
 * function. Files and signatures contain such hashes, so the function must never
 * change. */
#ifndef COMMON_HASH_H
#define COMMON_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CCA_HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint64_t cca_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static inline uint64_t cca_hash_text(uint64_t hash, const char *text)
{
    return cca_hash_bytes(hash, text, strlen(text));
}

/* Add a text and its final NUL to a hash, so that the texts "ab", "c" and the texts "a",
 * "bc" have different hashes. */
static inline uint64_t cca_hash_field(uint64_t hash, const char *text)
{
    return cca_hash_bytes(hash, text, strlen(text) + 1);
}

#endif
