/* SPDX-License-Identifier: BSD-3-Clause */
/* cut.c: make one partition by Zoltan. Zoltan's query functions about cells are here.
 *
 * Each partition uses a new Zoltan structure and restarts the random numbers, so that it
 * does not depend on earlier partitions. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <trilinos/zoltan.h>

#include "mesh/zoltan/server.h"

/* --- Query functions for Zoltan. --- */

static int count_cells(void *context, int *rc)
{
    const struct mesh_server *s = context;

    *rc = ZOLTAN_OK;
    return (int)(mesh_server_first(s, s->rank + 1) - mesh_server_first(s, s->rank));
}

static void list_cells(void *context, int globals, int locals, ZOLTAN_ID_PTR ids,
                       ZOLTAN_ID_PTR own, int weights, float *weight, int *rc)
{
    const struct mesh_server *s = context;
    int64_t first = mesh_server_first(s, s->rank),
            end = mesh_server_first(s, s->rank + 1);

    (void)globals;
    (void)locals;
    (void)own;
    *rc = ZOLTAN_OK;
    for (int64_t c = first; c < end; c++) {
        ids[c - first] = (ZOLTAN_ID_TYPE)c;
        if (weights)
            weight[c - first] = s->weights[c];
    }
}

static int count_dimensions(void *context, int *rc)
{
    const struct mesh_server *s = context;

    *rc = ZOLTAN_OK;
    return s->hello.dims;
}

/* Get the coordinates of a cell in its grid. */
static void place_of(const struct mesh_server *s, int64_t cell, int64_t at[3])
{
    const int64_t *n = s->hello.n;

    at[0] = cell / (n[1] * n[2]);
    at[1] = cell / n[2] % n[1];
    at[2] = cell % n[2];
}

static void give_places(void *context, int globals, int locals, int count,
                        ZOLTAN_ID_PTR ids, ZOLTAN_ID_PTR own, int dims, double *places,
                        int *rc)
{
    const struct mesh_server *s = context;

    (void)globals;
    (void)locals;
    (void)own;
    *rc = ZOLTAN_OK;
    for (int i = 0; i < count; i++) {
        int64_t at[3];

        place_of(s, ids[i], at);
        for (int d = 0; d < dims; d++)
            places[i * dims + d] =
                s->centres ? s->centres[3 * (int64_t)ids[i] + d] : (double)at[d] + .5;
    }
}

/* Write the cells that share a face with `cell` into to[6]. Returns their number. */
static int find_neighbours(const struct mesh_server *s, int64_t cell, int64_t to[6])
{
    const int64_t *n = s->hello.n;
    const int64_t stride[3] = {n[1] * n[2], n[2], 1};
    int64_t at[3];
    int count = 0;

    place_of(s, cell, at);
    for (int d = 0; d < 3; d++) {
        if (at[d] > 0)
            to[count++] = cell - stride[d];
        if (at[d] + 1 < n[d])
            to[count++] = cell + stride[d];
    }
    return count;
}

static void count_edges(void *context, int globals, int locals, int count,
                        ZOLTAN_ID_PTR ids, ZOLTAN_ID_PTR own, int *edges, int *rc)
{
    int64_t to[6];

    (void)globals;
    (void)locals;
    (void)own;
    *rc = ZOLTAN_OK;
    for (int i = 0; i < count; i++)
        edges[i] = find_neighbours(context, ids[i], to);
}

static void list_edges(void *context, int globals, int locals, int count,
                       ZOLTAN_ID_PTR ids, ZOLTAN_ID_PTR own, int *edges,
                       ZOLTAN_ID_PTR other, int *processes, int weights, float *weight,
                       int *rc)
{
    const struct mesh_server *s = context;
    int used = 0;

    (void)globals;
    (void)locals;
    (void)own;
    (void)edges;
    (void)weights;
    (void)weight;
    *rc = ZOLTAN_OK;
    for (int i = 0; i < count; i++) {
        int64_t to[6];
        int found = find_neighbours(s, ids[i], to);

        for (int k = 0; k < found; k++, used++) {
            other[used] = (ZOLTAN_ID_TYPE)to[k];
            processes[used] = mesh_server_owner(s, to[k]);
        }
    }
}

/* --- Calls of Zoltan. --- */

/* Set a parameter of Zoltan. An unknown or refused parameter is an error: Zoltan would
 * only warn and use another method. */
static int set(struct Zoltan_Struct *zoltan, const char *key, const char *value,
               char *text, int size)
{
    if (Zoltan_Set_Param(zoltan, key, value) == ZOLTAN_OK)
        return 0;
    snprintf(text, (size_t)size, "Zoltan refuses %s=%s", key, value);
    return -EINVAL;
}

static int set_all(const struct mesh_server *s, struct Zoltan_Struct *zoltan, int parts,
                   char *text, int size)
{
    const struct mesh_zoltan_method *method = &mesh_zoltan_methods[s->hello.method];
    char number[16];
    const char *const pairs[][2] = {
        {"DEBUG_LEVEL", "0"},         {"LB_METHOD", method->lb_method},
        {"LB_APPROACH", "PARTITION"}, {"NUM_GLOBAL_PARTS", number},
        {"RETURN_LISTS", "PARTS"},    {"REMAP", "0"},
        {"OBJ_WEIGHT_DIM", "1"},      {"EDGE_WEIGHT_DIM", "0"},
        {"NUM_GID_ENTRIES", "1"},     {"NUM_LID_ENTRIES", "0"},
        {"IMBALANCE_TOL", "1.01"},    {"SEED", "1"},
    };
    int rc = 0;

    snprintf(number, sizeof number, "%d", parts);
    for (size_t i = 0; !rc && i < sizeof pairs / sizeof *pairs; i++)
        rc = set(zoltan, pairs[i][0], pairs[i][1], text, size);
    if (!rc && method->package_key)
        rc = set(zoltan, method->package_key, method->package, text, size);
    if (!rc && strcmp(method->name, "RCB") == 0)
        rc = set(zoltan, "RCB_RECTILINEAR_BLOCKS", s->hello.planes ? "1" : "0", text,
                 size);
    return rc;
}

static void set_answers(struct mesh_server *s, struct Zoltan_Struct *zoltan)
{
    Zoltan_Set_Num_Obj_Fn(zoltan, count_cells, s);
    Zoltan_Set_Obj_List_Fn(zoltan, list_cells, s);
    Zoltan_Set_Num_Geom_Fn(zoltan, count_dimensions, s);
    Zoltan_Set_Geom_Multi_Fn(zoltan, give_places, s);
    if (!mesh_zoltan_methods[s->hello.method].edges)
        return;
    Zoltan_Set_Num_Edges_Multi_Fn(zoltan, count_edges, s);
    Zoltan_Set_Edge_List_Multi_Fn(zoltan, list_edges, s);
}

/* Partition and read Zoltan's lists: with RETURN_LISTS=PARTS the new part of each of this
 * rank's cells, or nothing if none changes. Without a query function for parts, a cell's
 * old part is its rank. */
static int partition(struct mesh_server *s, struct Zoltan_Struct *zoltan, char *text,
                     int size)
{
    int changes, globals, locals, in, out, *from, *from_part, *to, *to_part, rc;
    ZOLTAN_ID_PTR in_ids, in_own, ids, own;
    int64_t first = mesh_server_first(s, s->rank),
            end = mesh_server_first(s, s->rank + 1);

    for (int64_t c = first; c < end; c++)
        s->owners[c] = s->rank;
    rc = Zoltan_LB_Partition(zoltan, &changes, &globals, &locals, &in, &in_ids, &in_own,
                             &from, &from_part, &out, &ids, &own, &to, &to_part);
    if (rc != ZOLTAN_OK && rc != ZOLTAN_WARN) {
        snprintf(text, (size_t)size, "Zoltan_LB_Partition failed with %d", rc);
        return -EIO;
    }
    for (int i = 0; i < out; i++)
        if (ids[i] >= first && ids[i] < end)
            s->owners[ids[i]] = to_part[i];
    Zoltan_LB_Free_Part(&in_ids, &in_own, &from, &from_part);
    Zoltan_LB_Free_Part(&ids, &own, &to, &to_part);
    return 0;
}

int mesh_server_cut(struct mesh_server *server, int parts, char *text, int size)
{
    struct Zoltan_Struct *zoltan = Zoltan_Create(MPI_COMM_WORLD);
    double total = 0;
    int rc;

    if (!zoltan) {
        snprintf(text, (size_t)size, "Zoltan_Create failed");
        return -ENOMEM;
    }
    for (int64_t c = 0; c < server->cells; c++)
        total += (double)server->weights[c];
    for (int64_t c = 0; total <= 0 && c < server->cells; c++)
        server->weights[c] = 1;
    rc = set_all(server, zoltan, parts, text, size);
    if (!rc) {
        set_answers(server, zoltan);
        rc = partition(server, zoltan, text, size);
    }
    Zoltan_Destroy(&zoltan);
    return rc;
}
