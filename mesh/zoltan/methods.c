/* SPDX-License-Identifier: BSD-3-Clause */
/* methods.c: the table of Zoltan's methods that are allowed. */
#include <stddef.h>

#include "mesh/zoltan/wire.h"

const struct mesh_zoltan_method mesh_zoltan_methods[] = {
    {"RCB", "RCB", NULL, NULL, 0},
    {"RIB", "RIB", NULL, NULL, 0},
    {"HSFC", "HSFC", NULL, NULL, 0},
    {"BLOCK", "BLOCK", NULL, NULL, 0},
    {"GRAPH", "GRAPH", "GRAPH_PACKAGE", "PHG", 1},
    {"HYPERGRAPH", "HYPERGRAPH", "HYPERGRAPH_PACKAGE", "PHG", 1},
    {"SCOTCH", "GRAPH", "GRAPH_PACKAGE", "SCOTCH", 1},
    {NULL, NULL, NULL, NULL, 0},
};
