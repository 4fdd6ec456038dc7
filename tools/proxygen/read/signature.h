/* SPDX-License-Identifier: BSD-3-Clause */
/* signature.h: read the arguments and the result of a function, or of a function pointer
 * in a struct. */
#ifndef PROXYGEN_SIGNATURE_H
#define PROXYGEN_SIGNATURE_H

#include "tools/proxygen/read/reader.h"

enum { PG_ARGS_MAX = 64 };

struct pg_signature {
    CXCursor at; /* position of the function or member for error messages */
    /* cursor whose children are the arguments with their names: the function, the member,
     * or the typedef of the member's type */
    CXCursor named;
    CXType type; /* type of the function with its arguments as written */
    /* index of the first argument to read; 1 leaves out the argument `self` */
    unsigned first;
    const char *kind;           /* noun for messages: "method", "function" */
    CXCursor args[PG_ARGS_MAX]; /* out: positions of the arguments, or `at` if unknown */
    unsigned arg_count;         /* out: number of arguments, including `self` */
};

/* Read result and arguments into `method`, whose name is set. Returns 0 or the reader's
 * new status. */
int pg_signature_read(struct pg_reader *reader, struct pg_signature *signature,
                      struct pg_method *method);

/* Return the function type of a member or typedef, or the function type that it points
 * to, as written; the result has the kind CXType_Invalid if there is none. */
CXType pg_signature_of(CXType type);

/* Return the cursor whose children are the arguments of a member: the member itself, or
 * the typedef of its type. */
CXCursor pg_signature_named(CXCursor field);

#endif
