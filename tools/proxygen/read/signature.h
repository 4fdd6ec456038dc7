/* SPDX-License-Identifier: BSD-3-Clause */
/* signature.h: arguments and result of a function or a member of a struct. */
#ifndef PROXYGEN_SIGNATURE_H
#define PROXYGEN_SIGNATURE_H

#include "tools/proxygen/read/reader.h"

enum { PG_ARGS_MAX = 64 };

struct pg_signature {
    CXCursor at;      /* where errors are reported */
    CXCursor named;   /* whose children are the arguments with their names: the function,
                       * the   member, or the typedef of its type */
    CXType type;      /* of the function, its arguments as they were written */
    unsigned first;   /* argument that is read first: 1 leaves out self */
    const char *kind; /* "method", "function" */
    CXCursor args[PG_ARGS_MAX]; /* out: where the arguments stand; `at` where that is not
                                   known */
    unsigned arg_count;         /* out, those left out among them */
};

/* Read result and arguments into `method`, which has a name. 0 or the reader's new
 * status. */
int pg_signature_read(struct pg_reader *reader, struct pg_signature *signature,
                      struct pg_method *method);

/* The function type that a member or typedef points to or is, as written; of kind
 * CXType_Invalid where it is none. */
CXType pg_signature_of(CXType type);

/* The cursor whose children are the arguments of a member: itself, or the typedef of its
 * type. */
CXCursor pg_signature_named(CXCursor field);

#endif
