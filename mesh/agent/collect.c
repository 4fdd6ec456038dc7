/* SPDX-License-Identifier: BSD-3-Clause */
/* collect.c: write profiles from the packets of local agents. */
#include "mesh/agent/collect_core.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mesh/trace/words.h"

struct mesh_collect *mesh_collect_new(const char *path)
{
    struct mesh_collect *collect = calloc(1, sizeof *collect);

    if (collect && !(collect->path = strdup(path))) {
        free(collect);
        collect = NULL;
    }
    return collect;
}

/* --- Meshes. --- */

static struct profile *find_profile(struct mesh_collect *collect, const char *name)
{
    for (size_t i = 0; i < collect->profile_count; i++)
        if (strcmp(collect->profiles[i].name, name) == 0)
            return &collect->profiles[i];
    return NULL;
}

static struct profile *add_profile(struct mesh_collect *collect,
                                   const struct wire_mesh *mesh, struct cca_error *err)
{
    struct profile *p =
        cca_array_add(&collect->profiles, &collect->profile_count, sizeof *p);

    if (!p) {
        cca_no_memory(err);
        return NULL;
    }
    p->about = mesh->about;
    p->ranks = mesh->ranks;
    memcpy(p->name, mesh->about.name, sizeof p->name);
    p->writer = mesh_writer_new(collect->path, &p->about, err);
    if (!p->writer) {
        collect->profile_count--;
        return NULL;
    }
    return p;
}

/* Return the index of a rank's probe in the profile's file. A new probe is added; -1: it
 * came after the first block, and cannot be added.
 */
static int find_probe(struct profile *p, const struct mm_mesh_probe *probe,
                      struct cca_error *err)
{
    int rc;

    for (int i = 0; i < p->probes; i++)
        if (strcmp(p->probe_names[i], probe->name) == 0)
            return i;
    if (p->any_block || p->probes == MM_MESH_PROBES)
        return -1;
    rc = mesh_writer_probe(p->writer, probe, err);
    if (rc >= 0)
        memcpy(p->probe_names[p->probes++], probe->name, MM_MESH_NAME_BYTES);
    return rc;
}

static int same_mesh(const struct mm_mesh_about *a, const struct mm_mesh_about *b)
{
    return a->kind == b->kind && a->dims == b->dims && a->levels == b->levels &&
           a->ratio == b->ratio && memcmp(a->n, b->n, sizeof a->n) == 0;
}

/* Refuse a rank whose mesh differs from another one of the same name: its data is
 * dropped. */
static int refuse_member(struct profile *p, struct member *m, struct cca_error *err)
{
    char text[200];

    m->late = 1;
    for (int i = 0; i < m->probes; i++)
        m->probe_of[i] = -1;
    snprintf(text, sizeof text,
             "rank %d has a mesh of another shape called %s: it is not kept", m->rank,
             p->name);
    return mesh_writer_note(p->writer, text, err);
}

static int take_mesh(struct mesh_collect *collect, int source,
                     const struct wire_packet *packet, struct cca_error *err)
{
    const struct wire_mesh *mesh = wire_part(packet, 0, sizeof *mesh);
    const struct mm_mesh_probe *probes;
    struct profile *p;
    struct member *m;
    int foreign, rc = 0;

    if (!mesh || mesh->probes < 0 || mesh->probes > MM_MESH_PROBES || mesh->rank < 0 ||
        mesh->ranks < 0 || mesh->number < 0 || mesh_about_check(&mesh->about, err) ||
        packet->bytes != sizeof *mesh + (size_t)mesh->probes * sizeof *probes)
        return cca_error_set(err, -EBADMSG, "found a mesh that cannot be");
    probes = (const void *)(packet->payload + sizeof *mesh);
    for (int i = 0; i < mesh->probes; i++)
        if (mesh_probe_check(&probes[i], err))
            return -EBADMSG;
    p = find_profile(collect, mesh->about.name);
    foreign = p && !same_mesh(&p->about, &mesh->about);
    if (!p && !(p = add_profile(collect, mesh, err)))
        return err ? err->code : -EIO;
    m = cca_array_add(&p->members, &p->member_count, sizeof *m);
    if (!m)
        return cca_no_memory(err);
    m->source = source;
    m->number = mesh->number;
    m->rank = mesh->rank;
    m->probes = mesh->probes;
    if (foreign)
        return refuse_member(p, m, err);
    for (int i = 0; i < mesh->probes && rc >= 0; i++) {
        rc = find_probe(p, &probes[i], err);
        if (rc >= -1)
            m->probe_of[i] = rc;
        rc = rc < -1 ? rc : 0;
    }
    return rc;
}

/* Return the mesh of a process (struct member) to which a packet of local agent `source`
 * belongs; NULL: unknown. *of: its profile. */
static struct member *find_member(struct mesh_collect *collect, int source,
                                  const struct wire_packet *packet, struct profile **of)
{
    const struct wire_place *place = wire_part(packet, 0, sizeof *place);

    for (size_t i = 0; place && i < collect->profile_count; i++)
        for (size_t k = 0; k < collect->profiles[i].member_count; k++) {
            struct member *m = &collect->profiles[i].members[k];

            if (m->source == source && m->number == place->number && !m->closed) {
                *of = &collect->profiles[i];
                return m;
            }
        }
    return NULL;
}

/* --- Packets of a mesh. --- */

/* Whether data for `step` came too late to be kept. From then on all data of the rank is
 * dropped, because each block is coded relative to the previous one. */
static int is_late(const struct profile *p, struct member *m, int64_t step)
{
    m->late |= collect_has_ended(p, step);
    return m->late;
}

static int take_block(struct profile *p, struct member *m,
                      const struct wire_packet *packet, struct cca_error *err)
{
    const struct mm_mesh_frame *given =
        wire_part(packet, sizeof(struct wire_place), sizeof *given);
    struct mm_mesh_frame frame;
    size_t heads = sizeof(struct wire_place) + sizeof *given;
    int rc;

    if (!given || given->bytes != packet->bytes - heads || given->probe >= m->probes)
        return cca_error_set(err, -EBADMSG, "found a block that cannot be");
    frame = *given;
    frame.rank = m->rank;
    if (m->any && frame.step <= m->last)
        return cca_error_set(err, -EBADMSG, "found step %" PRId64 " behind step %" PRId64,
                             frame.step, m->last);
    if (m->probe_of[frame.probe] < 0 || is_late(p, m, frame.step))
        return 0;
    frame.probe = (uint16_t)m->probe_of[frame.probe];
    if (!collect_open_step(p, frame.step))
        return cca_no_memory(err);
    p->any_block = 1;
    rc = mesh_writer_block(p->writer, &frame, packet->payload + heads, err);
    return rc == -EINVAL ? -EBADMSG : rc;
}

static int take_step(struct profile *p, struct member *m,
                     const struct wire_packet *packet, struct cca_error *err)
{
    const struct wire_step *told =
        wire_part(packet, sizeof(struct wire_place), sizeof *told);
    struct mm_mesh_lost lost = {.count = 1, .why = "the rank came after steps had ended"};

    if (!told || (m->any && told->step <= m->last))
        return cca_error_set(err, -EBADMSG, "found the end of a step out of its order");
    if (!is_late(p, m, told->step))
        return collect_step_told(p, m, told, err);
    m->any = 1;
    lost.first = lost.last = m->last = told->step;
    return mesh_writer_lost(p->writer, m->rank, &lost, err);
}

static int take_lost(struct profile *p, struct member *m,
                     const struct wire_packet *packet, struct cca_error *err)
{
    const struct mm_mesh_lost *lost =
        wire_part(packet, sizeof(struct wire_place), sizeof *lost);
    struct mm_mesh_lost own;

    if (!lost)
        return cca_error_set(err, -EBADMSG, "found a loss that cannot be");
    own = *lost;
    own.why[sizeof own.why - 1] = '\0';
    return mesh_writer_lost(p->writer, m->rank, &own, err);
}

static int take_centres(struct profile *p, const struct member *m,
                        const struct wire_packet *packet, struct cca_error *err)
{
    const int64_t *range =
        wire_part(packet, sizeof(struct wire_place), 2 * sizeof *range);
    size_t heads = sizeof(struct wire_place) + 2 * sizeof *range;
    int rc;

    if (!range || range[1] < 0 || range[1] > WIRE_PAYLOAD ||
        packet->bytes != heads + (size_t)range[1] * 3 * sizeof(double))
        return cca_error_set(err, -EBADMSG, "found coordinates that cannot be");
    if (m->late)
        return 0;
    rc = mesh_writer_elements(p->writer, range[0], range[1],
                              (const void *)(packet->payload + heads), err);
    return rc == -EINVAL ? -EBADMSG : rc;
}

static int take_note(struct profile *p, const struct wire_packet *packet,
                     struct cca_error *err)
{
    char text[401];
    size_t length = packet->bytes - sizeof(struct wire_place);

    if (length >= sizeof text)
        length = sizeof text - 1;
    memcpy(text, packet->payload + sizeof(struct wire_place), length);
    text[length] = '\0';
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = ' ';
    return mesh_writer_note(p->writer, text, err);
}

int mesh_collect_take(struct mesh_collect *collect, int source,
                      const struct wire_packet *packet, struct cca_error *err)
{
    struct profile *p;
    struct member *m;

    if (packet->type == WIRE_MESH)
        return take_mesh(collect, source, packet, err);
    m = find_member(collect, source, packet, &p);
    if (!m)
        return cca_error_set(err, -EBADMSG, "found a packet of no open mesh");
    switch (packet->type) {
    case WIRE_BLOCK:
        return take_block(p, m, packet, err);
    case WIRE_STEP:
        return take_step(p, m, packet, err);
    case WIRE_LOST:
        return take_lost(p, m, packet, err);
    case WIRE_CENTRES:
        return take_centres(p, m, packet, err);
    case WIRE_NOTE:
        return take_note(p, packet, err);
    case WIRE_CLOSED:
        collect_close_member(p, m);
        return collect_end_steps(p, 0, err);
    default:
        return cca_error_set(err, -EBADMSG, "found a packet of type %d",
                             (int)packet->type);
    }
}

int mesh_collect_gone(struct mesh_collect *collect, int source, struct cca_error *err)
{
    int rc = 0;

    for (size_t i = 0; i < collect->profile_count; i++) {
        struct profile *p = &collect->profiles[i];
        char text[120];
        int ranks = 0;

        for (size_t k = 0; k < p->member_count; k++)
            if (p->members[k].source == source && !p->members[k].closed) {
                collect_close_member(p, &p->members[k]);
                ranks++;
            }
        if (ranks == 0)
            continue;
        snprintf(text, sizeof text,
                 "a local agent ended before the program; %d of its ranks are lost",
                 ranks);
        rc = rc ? rc : mesh_writer_note(p->writer, text, err);
        rc = rc ? rc : collect_end_steps(p, 0, err);
    }
    return rc;
}

int mesh_collect_close(struct mesh_collect *collect, struct cca_error *err)
{
    int rc = 0, closed;

    for (size_t i = 0; i < collect->profile_count; i++) {
        struct profile *p = &collect->profiles[i];

        rc = rc ? rc : collect_end_steps(p, 1, err);
        closed = mesh_writer_close(p->writer, err);
        rc = rc ? rc : closed;
        free(p->members);
        free(p->open);
    }
    free(collect->profiles);
    free(collect->path);
    free(collect);
    return rc;
}
