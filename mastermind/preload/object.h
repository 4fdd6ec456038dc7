/* SPDX-License-Identifier: BSD-3-Clause */
/* object.h: loaded objects of this process, as the dynamic linker lists them. */
#ifndef MASTERMIND_PRELOAD_OBJECT_H
#define MASTERMIND_PRELOAD_OBJECT_H

/* The object that contains an address. */
struct mm_object {
    char name[256];  /* its soname, such as "libz.so.1", else the last part of its path */
    char file[1024]; /* path in the dynamic linker's list; "" for the program */
    char build_id[65]; /* build id of the file, in hexadecimal; "": none */
};

/* Find the object that contains `address`. Returns 0; -ENOENT: there is none. */
int mm_object_of(const void *address, struct mm_object *object);

/* Find `symbol` in the loaded objects without the preloaded ones; NULL: none defines
 * it. */
void *mm_object_find(const char *symbol);

/* Find `symbol` in the loaded object with the path `file` ("": the program), and in the
 * libraries that it is linked with; NULL: they do not define it. */
void *mm_object_find_in(const char *file, const char *symbol);

/* Objects that import a symbol, without preloaded ones. */
struct mm_importers {
    int count;        /* number of importing objects, without the object that defines the
                       * symbol */
    char name[256];   /* name of the first importing object; "": the program itself */
    int itself;       /* true if the defining object imports its own symbol */
    int symbolic;     /* true if the defining object was linked with -Bsymbolic */
    int is_protected; /* true if the symbol has protected visibility */
    int needed; /* true if an object was linked with the defining object; if not, dlopen
                   loaded it */
    int direct; /* number of other objects that are bound directly to the definition, past
                   any interposer */
    char direct_name[256];
};

/* Find the loaded objects that import `symbol`. `defining` is the symbol's address,
 * `object` the name of the object that defines it. */
void mm_object_importers(const char *symbol, const void *defining, const char *object,
                         struct mm_importers *importers);

#endif
