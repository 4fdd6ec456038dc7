/* SPDX-License-Identifier: BSD-3-Clause */
/* Balancer.c: the class Balancer assigns patches of a mesh to ranks: by a schedule that
 * `mastermind balance` wrote, or by a policy that decides during the run.
 *
 * Schedules and policies assign cells of level 0. A patch goes to the rank that owns most
 * of the cells under it (the lowest of equals); this holds for patches that a regrid has
 * just made, too. Weights of patches in the last step come through the port `watch`, are
 * summed over the ranks, and are spread evenly over the cells under each patch. Every
 * rank computes the same decision from the same numbers. Cells are [y][x], as in a
 * profile of MeshProbe. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "components/probe.h"
#include "components/ranks.h"
#include "mesh/balance/live.h"
#include "mesh/component/Balancer/parts.h"
#include "mesh/schedule/file.h"
#include "ports/balance_port_signature.h"

struct balancer {
    struct balance_port port;
    struct probe_port probe;
    struct cca_services *services;
    struct prober next; /* the probe to which calls are forwarded */
    struct weights weights;
    struct balance_mesh mesh; /* describes the arrays below; ranks 0: no mesh yet */
    struct mesh_source source;
    struct mesh_live *live;
    struct mesh_schedule *schedule;
    int64_t asked;   /* step of the last query */
    int32_t *owners; /* [ny][nx] current owner of each cell of level 0 */
    float *cells;    /* [ny][nx] weight of each cell of level 0 */
    struct report report;
    /* cells moved before the last step, and time of the decision */
    struct report_step last;
};

/* --- Setup for a mesh. --- */

static void balancer_clear(struct balancer *k)
{
    mesh_live_free(k->live);
    mesh_schedule_file_free(k->schedule);
    report_end(&k->report);
    free(k->owners);
    free(k->cells);
    k->live = NULL;
    k->schedule = NULL;
    k->owners = NULL;
    k->cells = NULL;
    k->mesh.ranks = 0;
    k->last = (struct report_step){0};
    k->asked = 0;
}

/* Start the policy; the cells under `patches` determine its first partition. */
static int policy_begin(struct balancer *k, const struct balance_patch *patches,
                        int count, struct cca_error *err)
{
    struct mesh_live_wish wish = {
        .partitioner = cca_services_param_string(k->services, "partitioner"),
        .policy = cca_services_param_string(k->services, "policy"),
        .parts = k->mesh.ranks,
        .steps = cca_services_param_long(k->services, "steps"),
        .every = cca_services_param_long(k->services, "every"),
    };
    int64_t *updates = malloc((size_t)count * sizeof *updates);
    int code = updates ? 0 : cca_no_memory(err);

    for (int p = 0; p < count && !code; p++)
        updates[p] = patch_updates(&k->mesh, &patches[p]);
    if (!code)
        patches_spread(&k->mesh, patches, count, updates, k->cells);
    free(updates);
    if (!code)
        code = mesh_price_read(&wish.repartition,
                               cca_services_param_string(k->services, "price"), err);
    if (!code)
        code = mesh_price_read(&wish.move, cca_services_param_string(k->services, "move"),
                               err);
    if (code)
        return code;
    k->live = mesh_live_new(&k->source, &wish, k->cells, err);
    return k->live ? 0 : err && err->code ? err->code : -EINVAL;
}

static int balancer_begin(struct balancer *k, const struct balance_mesh *mesh,
                          const struct balance_patch *patches, int count,
                          struct cca_error *err)
{
    const char *path = cca_services_param_string(k->services, "schedule");
    const int64_t n[2] = {mesh->ny, mesh->nx};
    size_t cells = (size_t)(mesh->nx * mesh->ny);
    int code;

    balancer_clear(k);
    weights_forget(&k->weights);
    k->owners = malloc(cells * sizeof *k->owners);
    k->cells = malloc(cells * sizeof *k->cells);
    if (!k->owners || !k->cells)
        return cca_no_memory(err);
    k->mesh = *mesh;
    k->source = (struct mesh_source){.dims = 2, .n = {n[0], n[1], 1}, .steps = 1};
    code = report_begin(&k->report, cca_services_param_string(k->services, "report"),
                        ranks_rank(k->services), mesh->ranks, err);
    if (code || !*path)
        return code ? code : policy_begin(k, patches, count, err);
    k->schedule = mesh_schedule_file_read(path, 2, n, mesh->ranks, err);
    return k->schedule ? 0 : err && err->code ? err->code : -EINVAL;
}

/* --- Decisions. --- */

static enum weights_kind kind_of(const struct balancer *k)
{
    const char *kind = cca_services_param_string(k->services, "weight");

    return !strcmp(kind, "cells")  ? WEIGHTS_CELLS
           : !strcmp(kind, "time") ? WEIGHTS_TIME
                                   : WEIGHTS_WORK;
}

/* Sum the weights of all patches in the last step over all ranks. Returns 0 or a negative
 * errno. */
static int weights_share(struct balancer *k, const struct balance_patch *patches,
                         int count, int64_t *weights, struct cca_error *err)
{
    CCA_USE_OPTIONAL(struct exchange_port, ranks, k->services, "exchange");
    int64_t all = 0;
    int code;

    weights_take(&k->weights, kind_of(k), &k->mesh, patches, count,
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

/* Query the policy and set k->owners. Returns 0 or a negative errno. */
static int policy_ask(struct balancer *k, int64_t step,
                      const struct balance_patch *patches, int count, int fresh,
                      struct cca_error *err)
{
    int64_t every = cca_services_param_long(k->services, "every");
    int64_t *weights, begun = cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    const uint16_t *owners;
    int code = 1;

    if (!fresh) {
        if (step % every != 0)
            return 0;
        weights = malloc((size_t)count * sizeof *weights);
        code =
            weights ? weights_share(k, patches, count, weights, err) : cca_no_memory(err);
        begun = cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
        if (!code) {
            patches_spread(&k->mesh, patches, count, weights, k->cells);
            code = mesh_live_step(k->live, k->cells, err);
        }
        free(weights);
    }
    owners = mesh_live_owners(k->live);
    for (int64_t c = 0; c < k->mesh.nx * k->mesh.ny && code > 0; c++)
        k->owners[c] = owners[c];
    k->last.decide_ns = cca_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun;
    return code < 0 ? code : 0;
}

/* Write the completed step to the report. */
static int step_report(struct balancer *k, struct cca_error *err)
{
    CCA_USE_OPTIONAL(struct exchange_port, ranks, k->services, "exchange");

    weights_sum(&k->weights, &k->last.work, &k->last.cpu_ns);
    return report_add(&k->report, ranks, k->asked, &k->last, err);
}

static int balancer_ask(struct balance_port *self, int64_t step,
                        const struct balance_mesh *mesh,
                        const struct balance_patch *patches, int count, int *owners,
                        struct cca_error *err)
{
    struct balancer *k = cca_container_of(self, struct balancer, port);
    int code = 0, fresh = k->mesh.ranks != mesh->ranks || k->mesh.nx != mesh->nx ||
                          k->mesh.ny != mesh->ny || step <= k->asked;

    if (fresh) {
        code = balancer_begin(k, mesh, patches, count, err);
        if (code)
            balancer_clear(k);
    } else {
        code = step_report(k, err);
        k->last = (struct report_step){0};
    }
    k->mesh.levels = mesh->levels;
    k->asked = step;
    if (!code && k->schedule)
        mesh_schedule_file_standing(k->schedule, (int32_t)step, k->owners);
    else if (!code)
        code = policy_ask(k, step, patches, count, fresh, err);
    weights_forget(&k->weights);
    return code ? code : patches_follow(&k->mesh, k->owners, patches, count, owners);
}

static void balancer_moved(struct balance_port *self, int64_t step, int64_t cells,
                           int64_t cpu_ns)
{
    struct balancer *k = cca_container_of(self, struct balancer, port);

    (void)step;
    k->last.cells_moved = cells;
    k->last.move_ns = cpu_ns;
}

/* --- The probe port: calls are counted and forwarded. --- */

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
    .summary = "decides which rank owns which patch: by a schedule, or by a live policy",
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
                "between two decisions of the policy", NULL},
               {"steps", CCA_LONG, "0", "0", NULL, NULL, "steps",
                "of the whole run, where they are known; 0: not known", NULL},
               {"report", CCA_STRING, "", NULL, NULL, NULL, NULL,
                "file for the cost of each step on each rank; empty: none", NULL}),
    .set_services = balancer_set_services,
    .destroy = balancer_destroy,
};
