/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoint.c: the class that saves the state of a run in a folder and restores it.
 *
 * Each rank writes the values of its own patches to its own file; then rank 0 renames an
 * index that lists these files into place: at that moment the new checkpoint replaces the
 * last one, whose files are removed afterwards. A kill at any time leaves one complete
 * checkpoint. Rank 0 reads the index for all, and each rank the values of its cells. All
 * ranks return the same error. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "components/Checkpoint/parts.h"
#include "components/euler.h"
#include "components/ranks.h"
#include "framework/cca.h"
#include "ports/checkpoint_port_signature.h"

struct checkpoint {
    struct checkpoint_port port;
    struct cca_services *services;
};

/* One write or read of a checkpoint. */
struct task {
    const char *folder;
    struct exchange_port *ranks; /* port to the other ranks; NULL: there is only one
                                  * rank */
    int rank;
    struct mesh_port *mesh;
    int field;
    struct index index;
    int64_t bytes; /* number of bytes written or read by this rank */
    struct cca_error err;
};

/* --- Writing --------------------------------------------------------------- */

/* Choose the serial number on rank 0 and send it to all ranks. */
static int serial_choose(struct task *t)
{
    int code = t->rank ? 0 : folder_prepare(t->folder, &t->index.serial, &t->err);

    code = agree(t->ranks, code, &t->err);
    return code ? code
                : share(t->ranks, &t->index.serial, sizeof t->index.serial, &t->err);
}

static int index_keep(struct task *t)
{
    char *text = NULL;
    size_t size = 0;
    int code = t->rank ? 0 : index_print(&t->index, &text, &size, &t->err);
    int kept = code || t->rank ? code : folder_publish(t->folder, text, size, &t->err);

    free(text);
    code = agree(t->ranks, kept < 0 ? kept : 0, &t->err);
    if (!t->rank && kept == 0)
        folder_clean(t->folder, t->index.serial);
    return code;
}

/* Write values, then the index. If a step fails on some rank, each rank removes its
 * values, which are useless then; but not if another rank has died, because the index may
 * already be in place. */
static int files_keep(struct task *t)
{
    char *path = folder_values(t->folder, t->index.serial, t->rank);
    int mine = path ? values_write(&t->index, t->rank, path, t->mesh, t->field, &t->err)
                    : cca_no_memory(&t->err);
    int code = agree(t->ranks, mine, &t->err);

    if (!code)
        code = index_keep(t);
    if (code && code != -ECANCELED && !mine)
        unlink(path);
    free(path);
    return code;
}

static int task_write(struct task *t, const struct checkpoint_moment *moment)
{
    int ranks = t->ranks ? t->ranks->size(t->ranks) : 1;
    int code = index_describe(&t->index, t->mesh, EULER_NVAR, ranks, &t->err);

    code = agree(t->ranks, code, &t->err);
    t->index.moment = *moment;
    if (!code)
        code = serial_choose(t);
    if (!code)
        code = files_keep(t);
    if (!code)
        t->bytes = t->index.file_bytes[t->rank];
    return code;
}

/* --- Reading --------------------------------------------------------------- */

/* Read the text of the index, new, and send it to all ranks. */
static int text_share(struct task *t, char **text, size_t *size)
{
    int code = t->rank ? 0 : folder_read(t->folder, text, size, &t->err);

    code = agree(t->ranks, code, &t->err);
    if (!code)
        code = share(t->ranks, size, sizeof *size, &t->err);
    if (code)
        return code;
    if (t->rank)
        *text = calloc(*size + 1, 1);
    code = agree(t->ranks, *text ? 0 : cca_no_memory(&t->err), &t->err);
    return code ? code : share(t->ranks, *text, *size, &t->err);
}

static int index_get(struct task *t)
{
    char *path = folder_index(t->folder), *text = NULL;
    size_t size = 0;
    int code = text_share(t, &text, &size);

    if (!code)
        code = path ? index_parse(&t->index, text, size, path, &t->err)
                    : cca_no_memory(&t->err);
    free(text);
    free(path);
    return code;
}

/* Check that the mesh has the checkpoint's domain and cells. */
static int mesh_check(struct task *t)
{
    const struct mesh_domain *found = &t->index.domain, *d = t->mesh->domain(t->mesh);

    if (found->nx != d->nx || found->ny != d->ny)
        return cca_error_set(&t->err, -EINVAL,
                             "checkpoint '%s': found %" PRId64 " x %" PRId64
                             " cells, expected %" PRId64 " x %" PRId64,
                             t->folder, found->nx, found->ny, d->nx, d->ny);
    if (found->xlo != d->xlo || found->ylo != d->ylo || found->xhi != d->xhi ||
        found->yhi != d->yhi)
        return cca_error_set(&t->err, -EINVAL,
                             "checkpoint '%s': found the domain [%.9g, %.9g] x [%.9g, "
                             "%.9g], expected [%.9g, %.9g] x [%.9g, %.9g]",
                             t->folder, found->xlo, found->xhi, found->ylo, found->yhi,
                             d->xlo, d->xhi, d->ylo, d->yhi);
    if (found->periodic_x != !!d->periodic_x || found->periodic_y != !!d->periodic_y)
        return cca_error_set(&t->err, -EINVAL,
                             "checkpoint '%s': found periodic borders in %s, expected "
                             "them in %s",
                             t->folder,
                             found->periodic_x   ? found->periodic_y ? "x and y" : "x"
                             : found->periodic_y ? "y"
                                                 : "no axis",
                             d->periodic_x   ? d->periodic_y ? "x and y" : "x"
                             : d->periodic_y ? "y"
                                             : "no axis");
    if (t->index.components != EULER_NVAR)
        return cca_error_set(&t->err, -EINVAL,
                             "checkpoint '%s': found %d components, expected %d",
                             t->folder, t->index.components, EULER_NVAR);
    return 0;
}

static char *values_path(const void *context, int file)
{
    const struct task *t = context;

    return folder_values(t->folder, t->index.serial, file);
}

/* Check that all files exist and are complete, by their heads and sizes, before a level
 * is built. */
static int files_check(struct task *t)
{
    int code = 0;

    for (int k = 0; !t->rank && k < t->index.file_count && !code; k++) {
        char *path = values_path(t, k);

        code = path ? values_check(&t->index, k, path, &t->err) : cca_no_memory(&t->err);
        free(path);
    }
    return agree(t->ranks, code, &t->err);
}

/* Build one level of the mesh. Ranks need not agree on failures here: the mesh lets ranks
 * agree, and if memory is short on one rank, the others may still be in a call of the
 * mesh. */
static int level_adopt(struct task *t, int level)
{
    const struct index *x = &t->index;
    int count = x->first[level + 1] - x->first[level], code;
    struct mesh_box *boxes = calloc((size_t)count, sizeof *boxes);
    struct cca_error err = {0};

    for (int k = 0; boxes && k < count; k++) {
        const struct index_patch *p = &x->patches[x->first[level] + k];

        boxes[k] = (struct mesh_box){p->ilo, p->jlo, p->nx, p->ny, 0};
    }
    code =
        boxes ? t->mesh->adopt(t->mesh, level, boxes, count, &err) : cca_no_memory(&err);
    free(boxes);
    if (!code && t->mesh->ratio(t->mesh, level - 1) != x->ratio[level])
        code = cca_error_set(&err, -EINVAL, "found level %d finer by %d, expected by %d",
                             level, x->ratio[level], t->mesh->ratio(t->mesh, level - 1));
    return code ? cca_error_set(&t->err, code, "checkpoint '%s': %s", t->folder, err.text)
                : 0;
}

/* Build the levels above 0. The first message of an instance is collective (it creates
 * the communicator), but adopting patches may need messages between some ranks only: so
 * the mesh first exchanges a message among all ranks. */
static int levels_adopt(struct task *t)
{
    double least = t->index.level_count > 1 ? t->mesh->minimum(t->mesh, 0.) : 0.;
    int code = least == 0. ? 0 : cca_error_set(&t->err, -ECANCELED, "a rank has failed");

    for (int l = 1; l < t->index.level_count && !code; l++)
        code = level_adopt(t, l);
    return code;
}

static int values_get(struct task *t)
{
    struct cca_error err = {0};
    int code = values_read(&t->index, values_path, t, t->mesh, t->field, &t->bytes, &err);

    if (code)
        cca_error_set(&t->err, code, "checkpoint '%s': %s", t->folder, err.text);
    return agree(t->ranks, code, &t->err);
}

static int task_read(struct task *t)
{
    int code = index_get(t);

    code = agree(t->ranks, code, &t->err);
    if (!code)
        code = mesh_check(t);
    if (!code)
        code = files_check(t);
    if (!code)
        code = levels_adopt(t);
    return code ? code : values_get(t);
}

/* --- The port -------------------------------------------------------------- */

static const char *param(const struct checkpoint *k, const char *name)
{
    return cca_services_param_string(k->services, name);
}

static int task_end(struct task *t, int code, int64_t *bytes, struct cca_error *err)
{
    index_done(&t->index);
    if (code && err && !err->code)
        *err = t->err;
    if (!code && bytes)
        *bytes = t->bytes;
    return code;
}

static int checkpoint_write(struct checkpoint_port *self, struct mesh_port *mesh,
                            int field, const struct checkpoint_moment *moment,
                            int64_t *bytes, struct cca_error *err)
{
    struct checkpoint *k = cca_container_of(self, struct checkpoint, port);
    CCA_USE_OPTIONAL(struct exchange_port, ranks, k->services, "exchange");
    struct task t = {.folder = param(k, "directory"),
                     .ranks = ranks,
                     .rank = ranks ? ranks->rank(ranks) : 0,
                     .mesh = mesh,
                     .field = field};

    return task_end(&t, task_write(&t, moment), bytes, err);
}

static int checkpoint_wanted(struct checkpoint_port *self, struct cca_error *err)
{
    (void)err;
    return *param(cca_container_of(self, struct checkpoint, port), "restart") != '\0';
}

static int checkpoint_read(struct checkpoint_port *self, struct mesh_port *mesh,
                           int field, struct checkpoint_moment *moment, int64_t *bytes,
                           struct cca_error *err)
{
    struct checkpoint *k = cca_container_of(self, struct checkpoint, port);
    CCA_USE_OPTIONAL(struct exchange_port, ranks, k->services, "exchange");
    struct task t = {.folder = param(k, "restart"),
                     .ranks = ranks,
                     .rank = ranks ? ranks->rank(ranks) : 0,
                     .mesh = mesh,
                     .field = field};
    int code = task_read(&t);

    if (!code) {
        *moment = t.index.moment;
        printf("%s: goes on from step %" PRId64 ", time %.6g, in %s\n",
               cca_services_instance_name(k->services), moment->step, moment->time_s,
               t.folder);
        fflush(stdout);
    }
    return task_end(&t, code, bytes, err);
}

static const struct checkpoint_port port = {.base = {CHECKPOINT_PORT_TYPE, sizeof port},
                                            .write = checkpoint_write,
                                            .wanted = checkpoint_wanted,
                                            .read = checkpoint_read};

CCA_EXPORT const struct cca_class cca_class = {
    CCA_CLASS(struct checkpoint, services),
    .name = "Checkpoint",
    .summary = "keeps a moment of a run in a folder, and goes on from it",
    CCA_SIGNATURES(CHECKPOINT_PORT_SIGNATURE),
    CCA_IMPLEMENTS({"checkpoint", offsetof(struct checkpoint, port), &port.base}),
    CCA_USES(RANKS_USES),
    CCA_PARAMS({"directory", CCA_STRING, "checkpoint", NULL, NULL, NULL, NULL,
                "folder that checkpoints are written to; it is made where needed", NULL},
               {"restart", CCA_STRING, "", NULL, NULL, NULL, NULL,
                "folder of the checkpoint to go on from; empty: none", NULL}),
};
