/* SPDX-License-Identifier: BSD-3-Clause */
/* hash.h: FNV-1a with 64 bits (G. Fowler, L. Noll, K. Vo).
 *
 * A hash begins with CCA_HASH_START, or with any other number for another hash function.
 * Files and signatures contain such hashes, so the function must never change. */
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

/* Includes the NUL, so that "ab", "c" and "a", "bc" differ. */
static inline uint64_t cca_hash_field(uint64_t hash, const char *text)
{
    return cca_hash_bytes(hash, text, strlen(text) + 1);
}

#endif
