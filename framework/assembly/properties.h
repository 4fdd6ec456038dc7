/* SPDX-License-Identifier: BSD-3-Clause */
/* properties.h: properties of instances and ports as scripts read and write them: text.
 *
 * A property has a key and a value of one of the types Int, Long, Float, Double,
 * Fcomplex, Dcomplex, String, Bool, or IntArray and so on (names of the CCA
 * specification, in which case matters). The type of a property never changes. Numbers
 * are read and printed like values of parameters, whatever the program's locale; complex
 * numbers are (RE,IM); elements of arrays are separated by blanks, and elements that are
 * strings with blanks, empty strings or strings that begin with a quote are in double
 * quotes, with \ before " and \. */
#ifndef FRAMEWORK_ASSEMBLY_PROPERTIES_H
#define FRAMEWORK_ASSEMBLY_PROPERTIES_H

#include "framework/cca.h"

/* Return the type with this name; CCA_NONE with `err`: no such type. */
enum cca_type cca_property_type(const char *name, struct cca_error *err);
/* Return the name of a type, static; NULL for CCA_NONE. */
const char *cca_property_type_name(enum cca_type type);

/* Set `key` to a value read from `text`. Returns 0; -EINVAL or -ERANGE not a value of the
 * type, or an empty key; -EEXIST the key has another type; -ENOMEM. Nothing is changed on
 * failure. */
int cca_property_put(struct cca_typemap *map, const char *key, enum cca_type type,
                     const char *text, struct cca_error *err);
/* Return the value of `key` as text, new; "" if it is absent; NULL: out of memory. */
char *cca_property_text(const struct cca_typemap *map, const char *key);

#endif
