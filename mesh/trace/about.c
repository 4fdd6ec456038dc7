/* SPDX-License-Identifier: BSD-3-Clause */
/* about.c: properties of a profile, without its values. */
#include <string.h>

#include "common/find.h"
#include "mesh/trace/profile_core.h"

const struct mm_mesh_about *mesh_profile_about(const struct mesh_profile *p)
{
    return &p->about;
}

const char *mesh_profile_path(const struct mesh_profile *p)
{
    return p->path;
}

int mesh_profile_probes(const struct mesh_profile *p)
{
    return (int)p->probe_count;
}

const struct mm_mesh_probe *mesh_profile_probe(const struct mesh_profile *p, int probe)
{
    return &p->probes[probe];
}

int mesh_profile_find_probe(const struct mesh_profile *p, const char *name)
{
    for (size_t i = 0; i < p->probe_count; i++)
        if (strcmp(p->probes[i].name, name) == 0)
            return (int)i;
    return -1;
}

size_t mesh_profile_steps(const struct mesh_profile *p)
{
    return p->step_count;
}

const struct mesh_step *mesh_profile_step(const struct mesh_profile *p, size_t i)
{
    return &p->steps[i];
}

size_t mesh_profile_find_step(const struct mesh_profile *p, int64_t number)
{
    size_t at;

    CCA_FIND_FIRST(at, p->step_count, p->steps[at].number < number);
    return at;
}

const struct mm_mesh_frame *mesh_profile_block(const struct mesh_profile *p, size_t b)
{
    return &p->blocks[b].frame;
}

const double *mesh_profile_centres(const struct mesh_profile *p)
{
    return p->centres;
}

size_t mesh_profile_losses(const struct mesh_profile *p)
{
    return p->loss_count;
}

const struct mm_mesh_lost *mesh_profile_loss(const struct mesh_profile *p, size_t i,
                                             int *rank)
{
    if (rank)
        *rank = p->losses[i].rank;
    return &p->losses[i].lost;
}

size_t mesh_profile_notes(const struct mesh_profile *p)
{
    return p->note_count;
}

const char *mesh_profile_note(const struct mesh_profile *p, size_t i)
{
    return p->notes[i];
}

uint64_t mesh_profile_bytes(const struct mesh_profile *p)
{
    return p->size;
}

uint64_t mesh_profile_torn(const struct mesh_profile *p)
{
    return p->size - p->end;
}

uint64_t mesh_profile_decoded(const struct mesh_profile *p)
{
    return p->decoded;
}

/* Compute a hash over the check values of the payloads and the fields that locate them;
 * file offsets are left out, so that a copy with other losses or notes has the same hash.
 */
uint64_t mesh_profile_hash(const struct mesh_profile *p)
{
    uint64_t hash = mm_block_check(&p->about, sizeof p->about, MM_CHECK_START);

    for (size_t b = 0; b < p->block_count; b++) {
        const struct mm_mesh_frame *frame = &p->blocks[b].frame;
        uint64_t words[9] = {frame->payload_check, (uint64_t)frame->step,
                             (uint64_t)frame->probe << 32 | frame->level};

        memcpy(words + 3, frame->lo, sizeof frame->lo);
        memcpy(words + 6, frame->hi, sizeof frame->hi);
        hash = mm_block_check(words, sizeof words, hash);
    }
    return hash;
}
