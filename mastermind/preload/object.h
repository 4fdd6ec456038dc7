/* SPDX-License-Identifier: BSD-3-Clause */
/* object.h: what the dynamic linker knows of the objects of this process. */
#ifndef MASTERMIND_PRELOAD_OBJECT_H
#define MASTERMIND_PRELOAD_OBJECT_H

#include <stddef.h>

/* The object that holds an address. */
struct mm_object {
    char name[256];    /* "libz.so.1": its soname, else the last name of its file */
    char file[1024];   /* as the dynamic linker knows it; of the program "" */
    char build_id[65]; /* in hexadecimal; "" */
};

/* 0; -ENOENT: in none. */
int mm_object_of(const void *address, struct mm_object *object);

/* `symbol` in any object that is loaded, preloaded ones left out; NULL: nowhere. */
void *mm_object_find(const char *symbol);

/* Who imports a symbol, preloaded libraries left out. */
struct mm_importers {
    int count;        /* objects other than that which defines it */
    char name[256];   /* of the first; "": the program itself */
    int itself;       /* the defining object imports it, too */
    int symbolic;     /* which was linked with -Bsymbolic */
    int is_protected; /* and where the symbol has protected visibility */
    int needed; /* an object was linked with the defining one; else dlopen loaded it */
    int direct; /* objects other than that which are bound to the definition already */
    char direct_name[256];
};

/* `defining` is the address of the symbol, `object` the name of its object. */
void mm_object_importers(const char *symbol, const void *defining, const char *object,
                         struct mm_importers *importers);

#endif
