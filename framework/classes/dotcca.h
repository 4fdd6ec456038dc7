/* SPDX-License-Identifier: BSD-3-Clause */
/* dotcca.h: Ccaffeine's old text index files (*.cca): which library has which class.
 *
 *     # a comment
 *     !location=DIR            where the library was built; other ! lines say nothing
 *                              here
 *     libName.so               the library of the classes that follow
 *     create_Name Alias        a class: its constructor, and the name that scripts use
 *
 * A library is looked for beside the index file, then in the location. Of two classes of
 * one name the first counts. Nothing is loaded. */
#ifndef FRAMEWORK_CLASSES_DOTCCA_H
#define FRAMEWORK_CLASSES_DOTCCA_H

#include <stddef.h>

struct cca_dotcca_class {
    char *name;
    char *file; /* the index file */
    int line;
    char *library;  /* as the file names it */
    char *beside;   /* its path in the folder of the index file */
    char *location; /* its path in the location, or NULL */
};

struct cca_dotcca {
    struct cca_dotcca_class *classes; /* in the order found */
    size_t count;
    char **folders; /* that were read */
    size_t folder_count;
    char **passed_over; /* index files in XML */
    size_t passed_over_count;
};

/* `*index` is all zeros to begin with. Read the *.cca files of a folder, in order of
 * name, unless it was read before. Files in XML are passed over and remembered; such as
 * cannot be read are passed over, and so are lines that are none of the above. 0 or
 * -ENOMEM. */
int cca_dotcca_read(struct cca_dotcca *index, const char *folder);
void cca_dotcca_done(struct cca_dotcca *index);

/* The index file in XML that is named most like a class, NAME.*; else the first; borrowed
 * until the next read; NULL: there is none. */
const char *cca_dotcca_passed_over(const struct cca_dotcca *index, const char *name);

/* The class of a name, borrowed until the next read, or NULL. */
const struct cca_dotcca_class *cca_dotcca_find(const struct cca_dotcca *index,
                                               const char *name);

#endif
