/* SPDX-License-Identifier: BSD-3-Clause */
/* setup.c: declarations of a program before a mesh's first step: levels, position,
 * probes. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/probe/mesh.h"

/* Check that no step was begun. Returns 0 or the errno of a reported error. */
static int still_early(struct mm_mesh *m, const char *call)
{
    return !m->closed_set ? 0
                          : mesh_fault(m, FAULT_LATE, -EBUSY,
                                       "%s: found step %" PRId64
                                       " begun, expected the call before the first step",
                                       call, m->step);
}

int mm_mesh_levels(struct mm_mesh *m, int levels, int ratio)
{
    struct cca_error err = {0};
    int rc;

    if (!m || m->off)
        return 0;
    rc = still_early(m, "mm_mesh_levels");
    if (rc)
        return rc;
    if (m->about.kind != MM_MESH_GRID || levels < 1 || levels > MM_MESH_LEVELS ||
        ratio < 1 || ratio > 64)
        return mesh_fault(m, FAULT_NAME, -EINVAL,
                          "mm_mesh_levels: found %d levels of ratio %d, expected 1 to %d "
                          "of a grid, ratio 1 to 64",
                          levels, ratio, MM_MESH_LEVELS);
    if (m->cells.total > 0)
        return mesh_fault(m, FAULT_LATE, -EBUSY,
                          "mm_mesh_levels: expected the call before mm_mesh_box");
    rc = mesh_levels_set(m, levels, ratio, &err);
    return rc ? mesh_fault(m, FAULT_NAME, rc, "mm_mesh_levels: %s", err.text) : 0;
}

int mm_mesh_place(struct mm_mesh *m, const double *origin, const double *spacing)
{
    int rc;

    if (!m || m->off)
        return 0;
    rc = still_early(m, "mm_mesh_place");
    for (int d = 0; d < m->about.dims && !rc; d++)
        if (!isfinite(origin[d]) || !isfinite(spacing[d]) || spacing[d] <= 0)
            rc = mesh_fault(m, FAULT_NAME, -EINVAL,
                            "mm_mesh_place, dimension %d: found spacing %g from %g", d,
                            spacing[d], origin[d]);
    for (int d = 0; d < m->about.dims && !rc; d++) {
        m->about.origin[d] = origin[d];
        m->about.spacing[d] = spacing[d];
    }
    return rc;
}

int mm_mesh_rank(struct mm_mesh *m, int rank, int ranks)
{
    int rc;

    if (!m || m->off)
        return 0;
    rc = still_early(m, "mm_mesh_rank");
    if (!rc && (rank < 0 || ranks <= rank))
        rc = mesh_fault(m, FAULT_NAME, -EINVAL, "mm_mesh_rank: found rank %d of %d", rank,
                        ranks);
    if (!rc) {
        m->rank = rank;
        m->ranks = ranks;
    }
    return rc;
}

/* Check whether a probe of this name can be declared. Returns 0 or the errno of a
 * reported error. */
static int check_probe(struct mm_mesh *m, const char *name)
{
    int rc = still_early(m, "mm_mesh_probe");

    if (rc)
        return rc;
    if (!name || !mesh_name_holds(name) || !strcmp(name, "all"))
        return mesh_fault(m, FAULT_NAME, -EINVAL,
                          "mm_mesh_probe: found the name '%.80s', expected letters, "
                          "digits and _ . + -, not all",
                          name ? name : "");
    for (int p = 0; p < m->probe_count; p++)
        if (!strcmp(m->probes[p]->about.name, name))
            return mesh_fault(m, FAULT_NAME, -EEXIST, "mm_mesh_probe: found %s twice",
                              name);
    return m->probe_count < MM_MESH_PROBES
               ? 0
               : mesh_fault(m, FAULT_NAME, -ENOSPC,
                            "mm_mesh_probe: found more than %d probes", MM_MESH_PROBES);
}

/* Declare a probe; `probe`, which is copied, has its kind, unit and counter. */
static int add_probe(struct mm_mesh *m, const char *name, const struct probe *model)
{
    struct probe *probe;
    int rc = check_probe(m, name);

    if (rc)
        return rc;
    probe = malloc(sizeof *probe);
    if (!probe)
        return mesh_fault(m, FAULT_NAME, -ENOMEM, "mm_mesh_probe: out of memory");
    *probe = *model;
    strcpy(probe->about.name, name);
    probe->wanted = mesh_request_has(&m->request, name);
    probe->about.eps = m->request.eps;
    probe->about.whole =
        probe->kind != PROBE_GIVEN && m->request.grain != MESH_CELLS_EACH;
    probe->fd = -1;
    rc = probe->wanted ? mesh_clock_open(m, probe) : 0;
    if (rc) {
        free(probe);
        return mesh_fault(m, FAULT_NAME, rc, "probe %s: this machine has no counter: %s",
                          name, strerror(-rc));
    }
    m->now.lane[m->probe_count].hold = probe->hold;
    m->probes[m->probe_count] = probe;
    return m->probe_count++;
}

int mm_mesh_probe(struct mm_mesh *m, const char *name, const char *kind)
{
    static const struct {
        const char *word, *unit;
    } kinds[] = {{"time", "ns"},
                 {"cycles", "cycles"},
                 {"cpu", "ns"},
                 {"instructions", "instructions"},
                 {"given", ""}};

    if (!m || m->off)
        return 0;
    for (size_t k = 0; kind && k < sizeof kinds / sizeof *kinds; k++)
        if (!strcmp(kinds[k].word, kind)) {
            struct probe model = {.kind = (enum probe_kind)k};

            strcpy(model.about.unit, kinds[k].unit);
            return add_probe(m, name, &model);
        }
    return mesh_fault(m, FAULT_NAME, -EINVAL,
                      "probe %.80s: found the kind '%.80s', expected time, cycles, cpu, "
                      "instructions or given",
                      name ? name : "", kind ? kind : "");
}

int mm_mesh_custom(struct mm_mesh *m, const char *name, const char *unit,
                   double (*counter)(void *argument), void *argument)
{
    struct probe model = {.kind = PROBE_CUSTOM, .counter = counter, .argument = argument};

    if (!m || m->off)
        return 0;
    if (!counter || !unit || strlen(unit) >= sizeof model.about.unit)
        return mesh_fault(m, FAULT_NAME, -EINVAL,
                          "probe %.80s: expected a counter, and a unit of at most %zu "
                          "characters",
                          name ? name : "", sizeof model.about.unit - 1);
    strcpy(model.about.unit, unit);
    return add_probe(m, name, &model);
}
