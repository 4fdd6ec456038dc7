/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h: messages between mesh-zoltan and its parent. Byte order is the machine's.
 *
 *   parent: hello, centres of elements     mesh-zoltan: reply
 *   parent: cut, a weight (float) a cell   mesh-zoltan: reply, an owner (int32_t) a cell
 *   ...                                    no owners if the reply has an error
 *
 * The parent ends the program by closing the socket. */
#ifndef MESH_ZOLTAN_WIRE_H
#define MESH_ZOLTAN_WIRE_H

#include <stdint.h>

#define MESH_ZOLTAN_MAGIC 0x314f5a4du /* "MZO1" */

enum { MESH_ZOLTAN_CELLS = 1 << 30, MESH_ZOLTAN_PARTS = 65535 };

/* An allowed method. Others are refused: PARMETIS, if it is not compiled in, silently
 * becomes RCB, and HIER aborts without its query functions. */
struct mesh_zoltan_method {
    const char *name;        /* as the user writes it */
    const char *lb_method;   /* LB_METHOD of Zoltan */
    const char *package_key; /* a further parameter, or NULL */
    const char *package;     /* its value */
    int edges;               /* 1: needs neighbours of cells, so a grid */
};
/* Ends with a NULL name. */
extern const struct mesh_zoltan_method mesh_zoltan_methods[];

struct mesh_zoltan_hello {
    uint32_t magic;
    int32_t method;   /* index in mesh_zoltan_methods */
    int32_t planes;   /* 1: RCB_RECTILINEAR_BLOCKS */
    int32_t dims;     /* 1 to 3 */
    int32_t elements; /* 1: 3 doubles follow for each of n[0] elements */
    int32_t reserved;
    int64_t n[3]; /* as in struct mesh_source */
};

struct mesh_zoltan_cut {
    uint32_t magic;
    int32_t parts;
};

struct mesh_zoltan_reply {
    uint32_t magic;
    int32_t code;   /* 0, or a negative errno */
    int32_t ranks;  /* number of ranks that compute */
    char text[244]; /* message if `code` is not 0; ends in 0 */
};

#endif
