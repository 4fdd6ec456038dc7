/* SPDX-License-Identifier: BSD-3-Clause */
/* Balancer.c: the class Balancer says which rank has which patch of a mesh: by a schedule
 * that `mastermind balance` wrote, or by a policy that it follows live.
 *
 * Both speak of cells of level 0; a patch goes to the part that has most of the cells
 * under it, the lowest of equals. Weights of patches come through the port `watch`, are
 * added up over the ranks, and lie evenly on the cells under each. Every rank computes
 * the same decision from the same numbers. Cells are [y][x], as in a profile of
 * MeshProbe. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "components/probe.h"
#include "components/ranks.h"
#include "mesh/balance/live.h"
#include "mesh/component/Balancer/weights.h"
#include "mesh/schedule/file.h"
#include "ports/balance_port_signature.h"

struct balancer {
    struct balance_port port;
    struct probe_port probe;
    struct cca_services *services;
    struct prober next; /* whom the probe's calls go on to */
    struct weights weights;
    struct balance_mesh mesh; /* of the arrays below; ranks 0: none */
    struct mesh_source source;
    struct mesh_live *live;
    struct mesh_schedule *schedule;
    int32_t applied; /* the schedule's entry; -1: none yet */
    int64_t asked;   /* step of the last decision of the policy */
    int32_t *owners; /* [ny][nx] */
    float *cells;    /* [ny][nx] weights */
};

/* --- Setting up for a mesh. --- */

static void balancer_clear(struct balancer *k)
{
    mesh_live_free(k->live);
    mesh_schedule_file_free(k->schedule);
    free(k->owners);
    free(k->cells);
    k->live = NULL;
    k->schedule = NULL;
    k->owners = NULL;
    k->cells = NULL;
    k->mesh.ranks = 0;
    k->applied = -1;
    k->asked = 0;
}

static int policy_begin(struct balancer *k, struct cca_error *err)
{
    struct mesh_live_wish wish = {
        .partitioner = cca_services_param_string(k->services, "partitioner"),
        .policy = cca_services_param_string(k->services, "policy"),
        .parts = k->mesh.ranks,
        .steps = cca_services_param_long(k->services, "steps"),
        .every = cca_services_param_long(k->services, "every"),
    };
    int code = mesh_price_read(&wish.repartition,
                               cca_services_param_string(k->services, "price"), err);

    if (!code)
        code = mesh_price_read(&wish.move, cca_services_param_string(k->services, "move"),
                               err);
    if (code)
        return code;
    k->live = mesh_live_new(&k->source, &wish, NULL, err);
    return k->live ? 0 : err && err->code ? err->code : -EINVAL;
}

static int balancer_begin(struct balancer *k, const struct balance_mesh *mesh,
                          struct cca_error *err)
{
    const char *path = cca_services_param_string(k->services, "schedule");
    const int64_t n[2] = {mesh->ny, mesh->nx};
    size_t cells = (size_t)(mesh->nx * mesh->ny);

    balancer_clear(k);
    k->owners = malloc(cells * sizeof *k->owners);
    k->cells = malloc(cells * sizeof *k->cells);
    if (!k->owners || !k->cells)
        return cca_no_memory(err);
    k->mesh = *mesh;
    k->source = (struct mesh_source){.dims = 2, .n = {n[0], n[1], 1}, .steps = 1};
    if (!*path)
        return policy_begin(k, err);
    k->schedule = mesh_schedule_file_read(path, 2, n, mesh->ranks, err);
    return k->schedule ? 0 : err && err->code ? err->code : -EINVAL;
}

/* --- Between patches and cells of level 0. --- */

/* The cells of level 0 under a patch: [jlo, jhi) x [ilo, ihi). */
struct shadow {
    int64_t ilo, ihi, jlo, jhi;
};

static struct shadow shadow_of(const struct balance_patch *patch, int ratio)
{
    int64_t factor = 1;

    for (int l = 0; l < patch->level; l++)
        factor *= ratio;
    return (struct shadow){patch->ilo / factor, (patch->ilo + patch->nx - 1) / factor + 1,
                           patch->jlo / factor,
                           (patch->jlo + patch->ny - 1) / factor + 1};
}

/* The owner of most cells under each patch. `counts` has room for a number a rank. */
static int patches_follow(const struct balancer *k, const struct balance_patch *patches,
                          int count, int *owners)
{
    int64_t *counts = malloc((size_t)k->mesh.ranks * sizeof *counts);
    int changed = 0;

    if (!counts)
        return -ENOMEM;
    for (int p = 0; p < count; p++) {
        struct shadow s = shadow_of(&patches[p], k->mesh.ratio);
        int most = 0;

        memset(counts, 0, (size_t)k->mesh.ranks * sizeof *counts);
        for (int64_t j = s.jlo; j < s.jhi; j++)
            for (int64_t i = s.ilo; i < s.ihi; i++)
                counts[k->owners[j * k->mesh.nx + i]]++;
        for (int r = 1; r < k->mesh.ranks; r++)
            if (counts[r] > counts[most])
                most = r;
        changed |= most != owners[p];
        owners[p] = most;
    }
    free(counts);
    return changed;
}

/* Weights of patches, evenly onto the cells under each, a step's worth. */
static void cells_weigh(struct balancer *k, const struct balance_patch *patches,
                        int count, const int64_t *weights, double steps)
{
    memset(k->cells, 0, (size_t)(k->mesh.nx * k->mesh.ny) * sizeof *k->cells);
    for (int p = 0; p < count; p++) {
        struct shadow s = shadow_of(&patches[p], k->mesh.ratio);
        double each =
            (double)weights[p] / steps / (double)((s.ihi - s.ilo) * (s.jhi - s.jlo));

        for (int64_t j = s.jlo; j < s.jhi; j++)
            for (int64_t i = s.ilo; i < s.ihi; i++)
                k->cells[j * k->mesh.nx + i] += (float)each;
    }
}

/* --- Decisions. --- */

static enum weights_kind kind_of(const struct balancer *k)
{
    const char *kind = cca_services_param_string(k->services, "weight");

    return !strcmp(kind, "cells")  ? WEIGHTS_CELLS
           : !strcmp(kind, "time") ? WEIGHTS_TIME
                                   : WEIGHTS_WORK;
}

/* The weights of all patches, from all ranks. 0 or a negative errno. */
static int weights_share(struct balancer *k, const struct balance_patch *patches,
                         int count, int64_t *weights, struct cca_error *err)
{
    CCA_USE_OPTIONAL(struct exchange_port, ranks, k->services, "exchange");
    int64_t all = 0;
    int code;

    weights_take(&k->weights, kind_of(k), k->mesh.ratio, patches, count,
                 ranks ? ranks->rank(ranks) : 0, weights);
    code = ranks ? ranks->sum(ranks, weights, count) : 0;
    for (int p = 0; p < count && !code; p++)
        all += weights[p];
    if (!code && all == 0)
        code = cca_error_set(err, -ENODATA,
                             "no weights came through the port 'watch' of %s; connect "
                             "the integrator to it, or set weight to cells",
                             cca_services_instance_name(k->services));
    return code;
}

/* By the policy. 1: k->owners are new, 0, or a negative errno. */
static int policy_ask(struct balancer *k, int64_t step,
                      const struct balance_patch *patches, int count,
                      struct cca_error *err)
{
    int64_t every = cca_services_param_long(k->services, "every");
    int64_t *weights;
    const uint16_t *owners;
    int code = 1;

    if (step > k->asked && step % every != 0)
        return 0;
    if (step > k->asked) { /* else the run begins: its first partition */
        weights = malloc((size_t)count * sizeof *weights);
        code =
            weights ? weights_share(k, patches, count, weights, err) : cca_no_memory(err);
        if (!code) {
            cells_weigh(k, patches, count, weights, (double)(step - k->asked));
            code = mesh_live_step(k->live, k->cells, err);
        }
        free(weights);
    }
    k->asked = step;
    owners = mesh_live_owners(k->live);
    for (int64_t c = 0; c < k->mesh.nx * k->mesh.ny && code > 0; c++)
        k->owners[c] = owners[c];
    return code;
}

static int balancer_ask(struct balance_port *self, int64_t step,
                        const struct balance_mesh *mesh,
                        const struct balance_patch *patches, int count, int *owners,
                        struct cca_error *err)
{
    struct balancer *k = cca_container_of(self, struct balancer, port);
    int code = 0, fresh = k->mesh.ranks != mesh->ranks || k->mesh.nx != mesh->nx ||
                          k->mesh.ny != mesh->ny || step < k->asked;

    if (fresh)
        code = balancer_begin(k, mesh, err);
    if (!code && fresh)
        k->asked = step;
    k->mesh.levels = mesh->levels;
    if (code < 0)
        return code;
    if (k->schedule) {
        int32_t entry =
            mesh_schedule_file_standing(k->schedule, (int32_t)step, k->owners);

        code = entry != k->applied;
        k->applied = entry;
    } else {
        code = policy_ask(k, step, patches, count, err);
    }
    return code > 0 ? patches_follow(k, patches, count, owners) : code;
}

static void balancer_moved(struct balance_port *self, int64_t step, int64_t cells,
                           int64_t cpu_ns)
{
    (void)self;
    (void)step;
    (void)cells;
    (void)cpu_ns;
}

/* --- The probe: kept, and told on. --- */

static struct balancer *of_probe(struct probe_port *self)
{
    return cca_container_of(self, struct balancer, probe);
}

static void probe_step(struct probe_port *self, struct mesh_port *mesh, int64_t step,
                       double time_s)
{
    struct probe_port *next = of_probe(self)->next.port;

    if (next)
        next->step(next, mesh, step, time_s);
}

static void probe_begin(struct probe_port *self, const struct mesh_patch *patch)
{
    struct balancer *k = of_probe(self);

    if (k->next.port)
        k->next.port->begin(k->next.port, patch);
    weights_begin(&k->weights, patch);
}

static void probe_end(struct probe_port *self)
{
    struct balancer *k = of_probe(self);

    weights_end(&k->weights);
    if (k->next.port)
        k->next.port->end(k->next.port);
}

static void probe_faces(struct probe_port *self, int axis, int nx, int ny,
                        const int32_t *work)
{
    struct balancer *k = of_probe(self);

    weights_faces(&k->weights, axis, nx, ny, work);
    if (k->next.port)
        k->next.port->faces(k->next.port, axis, nx, ny, work);
}

static int32_t *probe_room(struct probe_port *self, int64_t count)
{
    return weights_room(&of_probe(self)->weights, count);
}

static const struct balance_port balance_methods = {
    .base = {BALANCE_PORT_TYPE, sizeof balance_methods},
    .ask = balancer_ask,
    .moved = balancer_moved,
};

static const struct probe_port probe_methods = {
    .base = {PROBE_PORT_TYPE, sizeof probe_methods},
    .step = probe_step,
    .begin = probe_begin,
    .end = probe_end,
    .faces = probe_faces,
    .room = probe_room,
};

static int balancer_set_services(void *self, struct cca_services *services,
                                 struct cca_error *err)
{
    struct balancer *k = self;

    return prober_init(&k->next, services, err);
}

static void balancer_destroy(void *self)
{
    struct balancer *k = self;

    balancer_clear(k);
    weights_done(&k->weights);
}

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct balancer, services),
    .name = "Balancer",
    .summary = "says which rank has which patch: by a schedule, or by a policy live",
    CCA_SIGNATURES(BALANCE_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"balance", offsetof(struct balancer, port), &balance_methods.base},
                   {"watch", offsetof(struct balancer, probe), &probe_methods.base}),
    CCA_USES(RANKS_USES, PROBE_USES, PROBE_EVENTS),
    CCA_PARAMS({"schedule", CCA_STRING, "", NULL, NULL, NULL, NULL,
                "file of mastermind balance --schedule; empty: by the policy", NULL},
               {"policy", CCA_STRING, "expect", NULL, NULL, NULL, NULL,
                "never, each, fixed:N, threshold:TH, loss or expect", NULL},
               {"partitioner", CCA_STRING, "rcb", NULL, NULL, NULL, NULL,
                "rcb, rcb:planes, hilbert, greedy or keep", NULL},
               {"weight", CCA_STRING, "work", NULL, NULL, "cells|work|time", NULL,
                "of a patch: its cells, its fluxes' iterations, its CPU time", NULL},
               {"price", CCA_STRING, "1x", NULL, NULL, NULL, NULL,
                "of a repartition, in the unit of the weights, or x mean part loads",
                NULL},
               {"move", CCA_STRING, "1x", NULL, NULL, NULL, NULL,
                "of a cell that moves; with x: of moving all cells", NULL},
               {"every", CCA_LONG, "1", "1", "1000000", NULL, "steps",
                "the policy is asked so often", NULL},
               {"steps", CCA_LONG, "0", "0", NULL, NULL, "steps",
                "of the whole run, where they are known; 0: not known", NULL}),
    .set_services = balancer_set_services,
    .destroy = balancer_destroy,
};
