/* SPDX-License-Identifier: BSD-3-Clause */
/* array.h: arrays that grow by doubling, as a pointer and a count.
 *
 * An array is empty with a NULL pointer and count 0, and grows by these functions alone.
 * Its capacity is not stored: it is the next power of two from the count on, at least 4.
 * So elements may be removed by decrementing the count. */
#ifndef COMMON_ARRAY_H
#define COMMON_ARRAY_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Make room for the element with index `count`, of `size` bytes; `array` is the address
 * of the array's pointer. Returns 0, or -ENOMEM without any change. */
static inline int cca_array_reserve(void *array, size_t count, size_t size)
{
    size_t capacity = count < 4 ? 4 : 2 * count;
    void *memory;

    if (count != 0 && (count < 4 || (count & (count - 1)) != 0))
        return 0;
    memcpy(&memory, array, sizeof memory); /* memcpy, because `array` may be the address
                                              of a pointer to any type */
    memory = realloc(memory, capacity * size);
    if (!memory)
        return -ENOMEM;
    memcpy(array, &memory, sizeof memory);
    return 0;
}

/* Add one zeroed element, and increment the count. Returns the element, or NULL: out of
 * memory. */
static inline void *cca_array_add(void *array, size_t *count, size_t size)
{
    char *memory;

    if (cca_array_reserve(array, *count, size))
        return NULL;
    memcpy(&memory, array, sizeof memory);
    return memset(memory + (*count)++ * size, 0, size);
}

/* Grow an array whose capacity is stored, to at least `wanted` elements and at least
 * twice its capacity; new elements are zeroed. Returns 0, or -ENOMEM without any
 * change. */
static inline int cca_array_extend(void *array, size_t *capacity, size_t size,
                                   size_t wanted)
{
    size_t grown = *capacity ? *capacity : 8;
    char *memory;

    if (wanted <= *capacity)
        return 0;
    while (grown < wanted)
        grown *= 2;
    memcpy(&memory, array, sizeof memory);
    memory = realloc(memory, grown * size);
    if (!memory)
        return -ENOMEM;
    memset(memory + *capacity * size, 0, (grown - *capacity) * size);
    memcpy(array, &memory, sizeof memory);
    *capacity = grown;
    return 0;
}

#endif
