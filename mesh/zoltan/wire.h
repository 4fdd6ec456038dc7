/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h: messages between mesh-zoltan and its parent. Byte order is the machine's.
 *
 *   parent: hello, centres of elements     mesh-zoltan: reply
 *   parent: cut, each cell's weight        mesh-zoltan: reply, each cell's owner
 *           (float)                                     (int32_t); no owners if the
 *   ...                                                 reply has an error
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
    const char *name;        /* name of the method as the user writes it */
    const char *lb_method;   /* value of Zoltan's parameter LB_METHOD */
    const char *package_key; /* name of a second parameter of Zoltan that the method
                                needs, or NULL */
    const char *package;     /* value of the second parameter */
    int edges;               /* true if the method needs neighbours of cells, so a grid */
};
/* The methods that are allowed; a NULL name ends the list. */
extern const struct mesh_zoltan_method mesh_zoltan_methods[];

struct mesh_zoltan_hello {
    uint32_t magic;
    int32_t method;   /* index in mesh_zoltan_methods */
    int32_t planes;   /* true: set Zoltan's parameter RCB_RECTILINEAR_BLOCKS */
    int32_t dims;     /* number of dimensions, 1 to 3 */
    int32_t elements; /* true: the mesh has n[0] elements; 3 doubles follow for each
                         element */
    int32_t reserved;
    int64_t n[3]; /* cells in each dimension, as in struct mesh_source */
};

struct mesh_zoltan_cut {
    uint32_t magic;
    int32_t parts;
};

struct mesh_zoltan_reply {
    uint32_t magic;
    int32_t code;   /* result: 0, or a negative errno */
    int32_t ranks;  /* number of ranks that compute the partition */
    char text[244]; /* message if `code` is not 0; ends in 0 */
};

#endif
