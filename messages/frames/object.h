/* SPDX-License-Identifier: BSD-3-Clause */
/* object.h: the loaded object that an address belongs to, and its function. */
#ifndef MESSAGES_FRAMES_OBJECT_H
#define MESSAGES_FRAMES_OBJECT_H

#include <limits.h>
#include <stdint.h>

struct mm_frames_object {
    char path[PATH_MAX]; /* absolute for the program itself; "": no object has it */
    uint8_t build_id[20];
    uint32_t build_id_bytes; /* 0: none */
    uint64_t offset;         /* of the address, as the file's addresses are */
    char function[256];      /* as its symbol table has it; "": not known */
};

/* Describe `pc`. Reads the object's file for its symbol table; calls no function that
 * allocates from the heap. Any thread; not from signal handlers. */
void mm_frames_object_of(uintptr_t pc, struct mm_frames_object *object);

#endif
