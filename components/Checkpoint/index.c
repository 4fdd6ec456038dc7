/* SPDX-License-Identifier: BSD-3-Clause */
/* index.c: the index of a checkpoint: describe a mesh, and print the text. */
#include "components/Checkpoint/index.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

#include "components/Checkpoint/parts.h"

void index_done(struct index *x)
{
    free(x->patches);
    free(x->file_bytes);
    x->patches = NULL;
    x->file_bytes = NULL;
}

/* --- From a mesh ----------------------------------------------------------- */

static int level_describe(struct index *x, struct mesh_port *mesh, int level)
{
    for (int k = 0; k < x->first[level + 1] - x->first[level]; k++) {
        struct index_patch *p = &x->patches[x->first[level] + k];
        struct mesh_box box;
        int code = mesh->box(mesh, level, k, &box);

        if (code)
            return code;
        if (box.rank < 0 || box.rank >= x->file_count)
            return -EINVAL;
        *p = (struct index_patch){box.ilo, box.jlo,  box.nx,
                                  box.ny,  box.rank, x->file_bytes[box.rank]};
        x->file_bytes[box.rank] += values_record_bytes(x->components, box.nx, box.ny);
    }
    return 0;
}

int index_describe(struct index *x, struct mesh_port *mesh, int components, int ranks,
                   struct cca_error *err)
{
    int64_t patches = 0;
    int code = 0;

    x->domain = *mesh->domain(mesh);
    x->components = components;
    x->file_count = ranks;
    x->level_count = mesh->level_count(mesh);
    if (x->level_count < 1 || x->level_count > MESH_LEVELS || ranks > INDEX_FILES_MAX)
        return cca_error_set(err, -EINVAL, "a mesh of %d levels on %d ranks",
                             x->level_count, ranks);
    for (int l = 0; l < x->level_count; l++) {
        x->ratio[l] = l ? mesh->ratio(mesh, l - 1) : 1;
        x->first[l] = (int)patches;
        patches += mesh->box_count(mesh, l);
        if (patches > INT_MAX)
            return cca_error_set(err, -EFBIG, "more than %d patches", INT_MAX);
        x->first[l + 1] = (int)patches;
    }
    x->patches = calloc((size_t)patches + 1, sizeof *x->patches);
    x->file_bytes = calloc((size_t)ranks, sizeof *x->file_bytes);
    if (!x->patches || !x->file_bytes)
        return cca_no_memory(err);
    for (int k = 0; k < ranks; k++)
        x->file_bytes[k] = VALUES_HEAD_BYTES;
    for (int l = 0; l < x->level_count && !code; l++)
        code = level_describe(x, mesh, l);
    return code ? cca_error_set(err, code, "the mesh does not show its patches") : 0;
}

/* --- Text ------------------------------------------------------------------ */

static void moment_print(FILE *to, const struct checkpoint_moment *m)
{
    fprintf(to, "step %" PRId64 "\ntime %a\nleast %a\nupdates", m->step, m->time_s,
            m->least_dt_s);
    for (int l = 0; l < MESH_LEVELS; l++)
        fprintf(to, " %" PRId64, m->updates[l]);
    fputc('\n', to);
}

static void mesh_print(FILE *to, const struct index *x)
{
    const struct mesh_domain *d = &x->domain;

    fprintf(to, "domain %a %a %a %a\ncells %" PRId64 " %" PRId64 "\nperiodic %d %d\n",
            d->xlo, d->ylo, d->xhi, d->yhi, d->nx, d->ny, d->periodic_x != 0,
            d->periodic_y != 0);
    fprintf(to, "components %d\nlevels %d\n", x->components, x->level_count);
    for (int l = 0; l < x->level_count; l++) {
        fprintf(to, "level %d %d %d\n", l, x->ratio[l], x->first[l + 1] - x->first[l]);
        for (int k = x->first[l]; k < x->first[l + 1]; k++) {
            const struct index_patch *p = &x->patches[k];

            fprintf(to,
                    "patch %d %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d %" PRId64
                    "\n",
                    l, p->ilo, p->jlo, p->nx, p->ny, p->file, p->offset);
        }
    }
}

/* Print all lines of the index but the checksum. Returns 0 or -ENOMEM. */
static int body_print(const struct index *x, char **text, size_t *size)
{
    FILE *to = open_memstream(text, size);
    int failed;

    if (!to)
        return -ENOMEM;
    fprintf(to, "checkpoint 1\nserial %" PRId64 "\nfiles %d\n", x->serial, x->file_count);
    moment_print(to, &x->moment);
    mesh_print(to, x);
    failed = ferror(to);
    return fclose(to) || failed ? -ENOMEM : 0;
}

int index_print(const struct index *x, char **text, size_t *size, struct cca_error *err)
{
    char *body = NULL;
    int length = -1;
    /* doubles have a point in the C locale, whatever the program's locale is */
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), old;

    if (!c)
        return cca_no_memory(err);
    old = uselocale(c);
    if (!body_print(x, &body, size))
        length = asprintf(text, "%schecksum %08" PRIx32 "\n", body,
                          checksum_add(0, body, *size));
    uselocale(old);
    freelocale(c);
    free(body);
    if (length < 0)
        return cca_no_memory(err);
    *size = (size_t)length;
    return 0;
}
