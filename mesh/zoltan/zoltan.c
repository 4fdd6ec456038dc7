/* SPDX-License-Identifier: BSD-3-Clause */
/* zoltan.c: a partitioner that uses the program mesh-zoltan. */
#include "mesh/zoltan/zoltan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/nearest.h"
#include "mesh/child/child.h"
#include "mesh/zoltan/wire.h"

struct zoltan {
    struct mesh_child *child;
    int32_t *owners;  /* [cells] parts as mesh-zoltan sends them */
    uint16_t *narrow; /* [cells] parts in 16 bits */
};

int mesh_zoltan_is(const char *name)
{
    return strncmp(name, "zoltan:", 7) == 0 || strcmp(name, "zoltan") == 0;
}

/* Find a method by name, and set hello->method and hello->planes. Returns 0 or -EINVAL.
 */
static int find_method(const char *name, struct mesh_zoltan_hello *hello,
                       struct cca_error *err)
{
    const char *method = name[6] ? name + 7 : name + 6;
    struct cca_nearest nearest;
    char hint[96];

    hello->planes = strcmp(method, "RCB:planes") == 0;
    if (hello->planes)
        method = "RCB";
    cca_nearest_init(&nearest, method);
    for (int i = 0; mesh_zoltan_methods[i].name; i++) {
        cca_nearest_offer(&nearest, mesh_zoltan_methods[i].name);
        hello->method = i;
        if (strcmp(method, mesh_zoltan_methods[i].name) == 0)
            return 0;
    }
    return cca_error_set(
        err, -EINVAL,
        "partitioner: found %.80s, expected zoltan:RCB, RCB:planes, RIB, "
        "HSFC, BLOCK, GRAPH, HYPERGRAPH or SCOTCH%s",
        name, cca_nearest_hint(nearest.best, hint, sizeof hint));
}

/* Receive and check a reply. Returns 0, the reply's code, or the child's error. */
static int receive_reply(struct zoltan *zoltan, const char *what, struct cca_error *err)
{
    struct mesh_zoltan_reply reply;
    int rc = mesh_child_receive(zoltan->child, &reply, sizeof reply, err);

    if (rc)
        return rc;
    if (reply.magic != MESH_ZOLTAN_MAGIC || reply.code > 0)
        return mesh_child_refuse(zoltan->child, "its reply makes no sense", err);
    reply.text[sizeof reply.text - 1] = '\0';
    return reply.code ? cca_error_set(err, -EREMOTEIO, "%s: %s", what, reply.text) : 0;
}

static int take_owners(struct zoltan *zoltan, int64_t cells, int parts,
                       struct cca_error *err)
{
    int rc = mesh_child_receive(zoltan->child, zoltan->owners,
                                (size_t)cells * sizeof *zoltan->owners, err);
    char what[96];

    for (int64_t c = 0; !rc && c < cells; c++) {
        if (zoltan->owners[c] < 0 || zoltan->owners[c] >= parts) {
            snprintf(what, sizeof what, "found part %d of %d for cell %lld",
                     (int)zoltan->owners[c], parts, (long long)c);
            return mesh_child_refuse(zoltan->child, what, err);
        }
        zoltan->narrow[c] = (uint16_t)zoltan->owners[c];
    }
    return rc;
}

static int cut(void *context, const struct mesh_source *source, const float *weights,
               int parts, const struct mesh_partition *before, struct mesh_partition *out,
               struct cca_error *err)
{
    struct zoltan *zoltan = context;
    struct mesh_zoltan_cut head = {MESH_ZOLTAN_MAGIC, parts};
    int64_t cells = mesh_source_cells(source);
    int rc = mesh_child_send(zoltan->child, &head, sizeof head, err);

    (void)before;
    if (!rc)
        rc =
            mesh_child_send(zoltan->child, weights, (size_t)cells * sizeof *weights, err);
    if (!rc)
        rc = receive_reply(zoltan, "zoltan", err);
    if (!rc)
        rc = take_owners(zoltan, cells, parts, err);
    return rc ? rc : mesh_partition_make(source, zoltan->narrow, parts, out);
}

static void close_zoltan(void *context)
{
    struct zoltan *zoltan = context;

    mesh_child_end(zoltan->child);
    free(zoltan->owners);
    free(zoltan->narrow);
    free(zoltan);
}

/* A single rank is started without a launcher, which takes half the time. */
static struct mesh_child *start(const char *name, const struct mesh_zoltan_wish *wish,
                                struct cca_error *err)
{
    /* Allow root in a container, and more ranks than cores: idle ranks yield.
     * HWLOC_COMPONENTS prevents queries of X displays, which need a name server. */
    static const char *const environment[] = {
        "OMPI_ALLOW_RUN_AS_ROOT=1",       "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
        "OMPI_MCA_mpi_yield_when_idle=1", "OMPI_MCA_btl_vader_single_copy_mechanism=none",
        "HWLOC_COMPONENTS=-gl",           NULL};
    char ranks[16];
    const char *alone[] = {wish->program, NULL};
    const char *launched[] = {"mpirun.openmpi",
                              "--oversubscribe",
                              "--bind-to",
                              "none",
                              "-n",
                              ranks,
                              wish->program,
                              NULL};
    struct mesh_child_wish child = {.name = name,
                                    .arguments = wish->ranks > 1 ? launched : alone,
                                    .environment = environment,
                                    .seconds = wish->seconds > 0 ? wish->seconds : 60};

    snprintf(ranks, sizeof ranks, "%d", wish->ranks);
    return mesh_child_start(&child, err);
}

static int greet(struct zoltan *zoltan, const struct mesh_source *source,
                 const char *name, const struct mesh_zoltan_hello *hello,
                 struct cca_error *err)
{
    int rc = mesh_child_send(zoltan->child, hello, sizeof *hello, err);

    if (!rc && source->centres)
        rc = mesh_child_send(zoltan->child, source->centres,
                             (size_t)source->n[0] * 3 * sizeof *source->centres, err);
    return rc ? rc : receive_reply(zoltan, name, err);
}

int mesh_zoltan_open(struct mesh_partitioner *partitioner, const char *name,
                     const struct mesh_source *source,
                     const struct mesh_zoltan_wish *wish, struct cca_error *err)
{
    struct mesh_zoltan_hello hello = {.magic = MESH_ZOLTAN_MAGIC,
                                      .dims = source->dims,
                                      .elements = source->centres != NULL,
                                      .n = {source->n[0], source->n[1], source->n[2]}};
    size_t cells = (size_t)mesh_source_cells(source);
    struct cca_error fault = {0};
    struct zoltan *zoltan;
    int rc;

    memset(partitioner, 0, sizeof *partitioner);
    rc = find_method(name, &hello, err);
    if (rc)
        return rc;
    if (source->centres && mesh_zoltan_methods[hello.method].edges)
        return cca_error_set(err, -EINVAL, "%s: found elements without a grid", name);
    if (wish->ranks < 1 || wish->ranks > MESH_ZOLTAN_RANKS || cells > MESH_ZOLTAN_CELLS)
        return cca_error_set(err, -EINVAL,
                             "%s: found %d ranks, %zu cells, expected 1 to %d ranks, at "
                             "most %d cells",
                             name, wish->ranks, cells, MESH_ZOLTAN_RANKS,
                             MESH_ZOLTAN_CELLS);
    if (access(wish->program, X_OK))
        return cca_error_set(err, -ENOTSUP, "zoltan: not built in (found no %s)",
                             wish->program);
    zoltan = calloc(1, sizeof *zoltan);
    if (!zoltan)
        return cca_no_memory(err);
    *partitioner = (struct mesh_partitioner){name, cut, zoltan, close_zoltan};
    zoltan->owners = malloc(cells * sizeof *zoltan->owners);
    zoltan->narrow = malloc(cells * sizeof *zoltan->narrow);
    if (!zoltan->owners || !zoltan->narrow)
        return cca_no_memory(err);
    zoltan->child = start(name, wish, &fault);
    if (!zoltan->child && fault.code == -ENOENT)
        return cca_error_set(err, -ENOTSUP, "%s, expected Open MPI's launcher",
                             fault.text);
    if (!zoltan->child)
        return cca_error_set(err, fault.code, "%s", fault.text);
    return greet(zoltan, source, name, &hello, err);
}
