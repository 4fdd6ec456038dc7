/* SPDX-License-Identifier: BSD-3-Clause */
/* redistribute.c: move patches to the owners that a balance port chooses. */
#include "components/UniformMesh/parts.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "components/rebalance.h"

/* Move all fields; they are replaced when all have arrived. Returns 0 or a negative
 * errno. */
static int fields_move(struct uniform_mesh *m, const struct ghosts *to,
                       const struct mesh_patch *patches, struct exchange_port *ranks)
{
    struct moving *moving = calloc((size_t)m->field_count + 1, sizeof *moving);
    int code = moving ? 0 : -ENOMEM, done = 0;

    for (; done < m->field_count && !code; done++) {
        const struct field *field = &m->fields[done];

        moving[done] = (struct moving){&m->ghosts,        to,
                                       m->patches,        patches,
                                       field->components, field->kind == MESH_KEPT,
                                       field->data,       NULL};
        code = patches_move(&moving[done], m->x.parts * m->y.parts, ranks);
    }
    for (int f = 0; f < done; f++) {
        if (code) {
            patches_drop(&moving[f]);
            continue;
        }
        patches_take(&moving[f]);
        field_data_free(&m->fields[f], m->patch_count);
        m->fields[f].data = moving[f].after;
    }
    free(moving);
    return code;
}

static int owners_change(struct uniform_mesh *m, const int *owners,
                         struct exchange_port *ranks, int64_t *moved)
{
    struct ghosts to;
    struct mesh_patch *patches;
    int code = ghosts_init(&to, &m->x, &m->y, m->ghosts.rank, m->ghosts.ranks, owners);

    if (code)
        return code;
    patches = patches_make(m, &to);
    if (!patches || ghosts_reserve(&to, m->ghosts.components))
        code = -ENOMEM;
    if (!code)
        code = fields_move(m, &to, patches, ranks);
    if (code) {
        free(patches);
        ghosts_done(&to);
        return code;
    }
    for (int index = 0; index < to.count; index++)
        if (m->ghosts.locals[to.mine[index]] < 0)
            *moved += (int64_t)patches[index].nx * patches[index].ny;
    free(m->patches);
    ghosts_done(&m->ghosts);
    m->patches = patches;
    m->patch_count = to.count;
    m->ghosts = to;
    return 0;
}

/* Fill descriptions of all patches, for the balance port. */
static void patches_tell(const struct uniform_mesh *m, struct balance_patch *told)
{
    for (int number = 0; number < m->x.parts * m->y.parts; number++) {
        int column = number % m->x.parts, row = number / m->x.parts;

        told[number] = (struct balance_patch){0,
                                              number,
                                              m->x.start[column],
                                              m->y.start[row],
                                              cut_size(&m->x, column),
                                              cut_size(&m->y, row),
                                              m->ghosts.owners[number]};
    }
}

int redistribute(struct uniform_mesh *m, struct balance_port *port,
                 struct exchange_port *ranks, int64_t step, int64_t *moved,
                 struct cca_error *err)
{
    const struct balance_mesh mesh = {m->domain.nx, m->domain.ny, 1, 1, m->ghosts.ranks};
    int count = m->x.parts * m->y.parts, code = -ENOMEM;
    struct balance_patch *told = calloc((size_t)count, sizeof *told);
    int *owners = malloc((size_t)count * sizeof *owners);
    int64_t begun;

    if (told && owners) {
        patches_tell(m, told);
        code = rebalance_ask(port, ranks, step, &mesh, told, count, owners, err);
    }
    begun = cca_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    if (code > 0) {
        code = owners_change(m, owners, ranks, moved);
        code = code ? code : 1;
    }
    if (code > 0)
        port->moved(port, step, *moved, cca_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begun);
    if (code < 0)
        cca_error_set(err, code, "cannot redistribute patches: %s", strerror(-code));
    free(told);
    free(owners);
    return code;
}
