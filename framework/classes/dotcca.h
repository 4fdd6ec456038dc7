/* SPDX-License-Identifier: BSD-3-Clause */
/* dotcca.h: read Ccaffeine's old text index files (*.cca), which list the classes of
 * libraries.
 *
 *     # a comment
 *     !location=DIR            where the library was built; other ! lines are ignored
 *     libName.so               the library of the classes that follow
 *     create_Name Alias        a class: its constructor, and the name that scripts use
 *
 * A library is searched in the folder of the index file, then in the folder `location`.
 * The first of several classes with one name is used. Nothing is loaded. */
#ifndef FRAMEWORK_CLASSES_DOTCCA_H
#define FRAMEWORK_CLASSES_DOTCCA_H

#include <stddef.h>

struct cca_dotcca_class {
    char *name;
    char *file; /* path of the index file */
    int line;
    char *library;  /* name of the library as written in the index file */
    char *beside;   /* path of the library in the folder of the index file */
    char *location; /* path of the library in the folder `location`, or NULL */
};

struct cca_dotcca {
    struct cca_dotcca_class *classes; /* in the order found */
    size_t count;
    char **folders; /* folders that were read */
    size_t folder_count;
    char **passed_over; /* paths of index files in XML */
    size_t passed_over_count;
};

/* Read the *.cca files of a folder, in order of name, unless it was read before. `*index`
 * is all zeros at first. Files in XML are skipped and remembered; unreadable files and
 * unknown lines are skipped. Returns 0 or -ENOMEM. */
int cca_dotcca_read(struct cca_dotcca *index, const char *folder);
void cca_dotcca_done(struct cca_dotcca *index);

/* Return the XML index file whose name fits a class best, NAME.*; else the first one;
 * borrowed until the next read; NULL: there is none. */
const char *cca_dotcca_passed_over(const struct cca_dotcca *index, const char *name);

/* Return the class with a name, borrowed until the next read, or NULL. */
const struct cca_dotcca_class *cca_dotcca_find(const struct cca_dotcca *index,
                                               const char *name);

#endif
