/* SPDX-License-Identifier: BSD-3-Clause */
/* shock_levels.h: the cells and the fields of the levels of an adaptive mesh, for tests.
 */
#ifndef TESTS_LIB_SHOCK_LEVELS_H
#define TESTS_LIB_SHOCK_LEVELS_H

#include "tests/lib/shock_assembly.h"

static inline void amr_open(struct assembly *a, const char *flux)
{
    assembly_open_on(a, flux, "GasProperties", "AMRMesh", "AmrDriver");
}

/* The conserved variables of a level, [5][ny][nx], -1 where it has no cells; new. */
static inline double *level_field(struct assembly *a, int level, size_t *count)
{
    struct mesh_port *mesh = assembly_mesh(a);
    const struct mesh_domain *d = mesh->domain(mesh);
    double *values;

    *count = (size_t)(d->nx * d->ny) * EULER_NVAR << 2 * level;
    values = malloc(*count * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < *count; i++)
        values[i] = -1.;
    assert_int_equal(0, mesh->gather(mesh, level, 0, values));
    return values;
}

/* The cells of a level that it has, [ny][nx]; new. */
static inline unsigned char *level_cells(struct mesh_port *mesh, int level)
{
    const struct mesh_domain *d = mesh->domain(mesh);
    int64_t nx = d->nx << level, ny = d->ny << level;
    unsigned char *cells = calloc((size_t)(nx * ny), 1);
    int64_t count = 0;

    assert_non_null(cells);
    for (int k = 0; k < mesh->box_count(mesh, level); k++) {
        struct mesh_box b;

        assert_int_equal(0, mesh->box(mesh, level, k, &b));
        assert_true(b.ilo >= 0 && b.jlo >= 0 && b.ilo + b.nx <= nx && b.jlo + b.ny <= ny);
        for (int64_t j = b.jlo; j < b.jlo + b.ny; j++)
            for (int64_t i = b.ilo; i < b.ilo + b.nx; i++) {
                assert_int_equal(0, cells[j * nx + i]);
                cells[j * nx + i] = 1;
            }
        count += b.nx * b.ny;
    }
    assert_true(count == mesh->cell_count(mesh, level));
    return cells;
}

#endif
