/* SPDX-License-Identifier: BSD-3-Clause */
/* object.h: find the loaded object that contains an address, and the function. */
#ifndef MESSAGES_FRAMES_OBJECT_H
#define MESSAGES_FRAMES_OBJECT_H

#include <limits.h>
#include <stdint.h>

struct mm_frames_object {
    char path[PATH_MAX]; /* absolute path of the object, also for the program itself; "":
                          * no object contains the address */
    uint8_t build_id[20];
    uint32_t build_id_bytes; /* length of the build id; 0: the object has none */
    uint64_t offset;    /* the address as an offset in the object's own numbering, which
                         * starts at 0 */
    char function[256]; /* name of the function from the object's symbol table; "":
                         * unknown */
};

/* Describe the code at `pc`. Reads the object's file for its symbol table; calls no
 * function that allocates from the heap. Any thread; not from signal handlers. */
void mm_frames_object_of(uintptr_t pc, struct mm_frames_object *object);

#endif
