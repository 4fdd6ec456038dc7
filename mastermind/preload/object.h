/* SPDX-License-Identifier: BSD-3-Clause */
/* object.h: loaded objects of this process, as the dynamic linker lists them. */
#ifndef MASTERMIND_PRELOAD_OBJECT_H
#define MASTERMIND_PRELOAD_OBJECT_H

/* The object that contains an address. */
struct mm_object {
    char name[256];    /* "libz.so.1": its soname, else the last part of its path */
    char file[1024];   /* path in the dynamic linker; "" for the program */
    char build_id[65]; /* hexadecimal; "": none */
};

/* Find the object that contains `address`. Returns 0; -ENOENT: there is none. */
int mm_object_of(const void *address, struct mm_object *object);

/* Find `symbol` in the loaded objects that are not preloaded; NULL: none defines it. */
void *mm_object_find(const char *symbol);

/* Objects that import a symbol, without preloaded ones. */
struct mm_importers {
    int count;        /* number of objects, without the defining one */
    char name[256];   /* name of the first object; "": the program itself */
    int itself;       /* the defining object imports it, too */
    int symbolic;     /* the defining object was linked with -Bsymbolic */
    int is_protected; /* the symbol has protected visibility */
    int needed; /* an object was linked with the defining one; 0: dlopen loaded it */
    int direct; /* objects, without the defining one, that are bound directly to the
                 * definition */
    char direct_name[256];
};

/* `defining` is the address of the symbol, `object` the name of its object. */
void mm_object_importers(const char *symbol, const void *defining, const char *object,
                         struct mm_importers *importers);

#endif
