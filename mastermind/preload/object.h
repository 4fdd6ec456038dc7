/* SPDX-License-Identifier: BSD-3-Clause */
/* object.h: loaded objects of this process, as the dynamic linker lists them. */
#ifndef MASTERMIND_PRELOAD_OBJECT_H
#define MASTERMIND_PRELOAD_OBJECT_H

#include <stddef.h>

/* The object that holds an address. */
struct mm_object {
    char name[256];    /* "libz.so.1": its soname, else the last name of its file */
    char file[1024];   /* the dynamic linker's path; "" for the program */
    char build_id[65]; /* hexadecimal; "" */
};

/* Find the object that holds `address`. 0; -ENOENT: none does. */
int mm_object_of(const void *address, struct mm_object *object);

/* Find `symbol` in any loaded object except preloaded ones; NULL: none defines it. */
void *mm_object_find(const char *symbol);

/* Objects that import a symbol, without preloaded libraries. */
struct mm_importers {
    int count;        /* objects except the defining one */
    char name[256];   /* the first object's; "": the program itself */
    int itself;       /* the defining object imports it, too */
    int symbolic;     /* the defining object was linked with -Bsymbolic */
    int is_protected; /* the symbol has protected visibility */
    int needed; /* an object was linked with the defining one; else dlopen loaded it */
    int direct; /* objects except the defining one that are bound to the definition
                   directly */
    char direct_name[256];
};

/* `defining` is the address of the symbol, `object` the name of its object. */
void mm_object_importers(const char *symbol, const void *defining, const char *object,
                         struct mm_importers *importers);

#endif
