/* SPDX-License-Identifier: BSD-3-Clause */
/* profile_core.h: state of a profile being read, for the files of this folder. */
#ifndef MESH_TRACE_PROFILE_CORE_H
#define MESH_TRACE_PROFILE_CORE_H

#include "mesh/pack/pack.h"
#include "mesh/trace/profile.h"

enum { MESH_BLOCK_CELLS = MESH_PACK_CELLS, MESH_TORN_BYTES = 1 << 16 };
/* limit of the memory for coordinates, for each byte of the file */
enum { MESH_FREE_BYTES = 1 << 16 };

struct mesh_block {
    struct mm_mesh_frame frame;
    uint64_t offset;
};

struct mesh_loss {
    int rank;
    struct mm_mesh_lost lost;
};

struct mesh_profile {
    int fd;
    char *path;
    uint64_t size, end; /* size of the file; end of its last complete frame */
    /* properties of the profile; dims 0: its header was not found yet */
    struct mm_mesh_about about;
    struct mm_mesh_probe *probes;
    size_t probe_count;
    double *centres; /* centres of elements; a centre that was never written is NAN */
    struct mesh_step *steps;
    size_t step_count;
    /* blocks of complete steps; pending: blocks of steps without end */
    struct mesh_block *blocks, *pending;
    size_t block_count, pending_count;
    struct mesh_loss *losses;
    size_t loss_count;
    char **notes;
    size_t note_count;
    void *payload; /* scratch buffer for the payload of a frame */
    size_t payload_capacity;
    uint64_t decoded;
    struct mesh_kept *kept; /* last decoded values of each brick; NULL: nothing yet */
    float *part;            /* scratch buffer of mesh_profile_part */
};

/* Decoded values of the cells lo <= c < hi, C order. */
struct mesh_part {
    int64_t lo[3], hi[3];
    const float *values;
};

static inline uint64_t mesh_frame_size(const struct mm_mesh_frame *frame)
{
    return sizeof *frame + (((uint64_t)frame->bytes + 7) & ~(uint64_t)7);
}

/* Read the payload of a frame; it is valid until the next call. Returns 0, -EBADMSG,
 * -ENOMEM or an I/O error. */
int mesh_profile_payload(struct mesh_profile *p, const struct mesh_block *block,
                         void **payload, struct cca_error *err);

/* Read the header of the BLOCK at an offset, also if its step never ended. Returns 0,
 * -EBADMSG or an I/O error. */
int mesh_profile_head(const struct mesh_profile *p, uint64_t offset,
                      struct mesh_block *block, struct cca_error *err);

/* Decode a block, or its cells lo <= c < hi, and as much as necessary of the earlier
 * blocks of its chain. *part is borrowed until the next call. Returns 0, -EBADMSG,
 * -ENOTSUP, -ENOMEM or an I/O error. */
int mesh_profile_part(struct mesh_profile *p, const struct mesh_block *block,
                      const int64_t lo[3], const int64_t hi[3], struct mesh_part *part,
                      struct cca_error *err);
void mesh_kept_free(struct mesh_kept *kept);

/* Find the path of the profile `name`, or of the only profile if `name` is NULL; the
 * caller frees it. Returns 0, -ENOENT, -EINVAL, -ENOMEM or an I/O error. */
int mesh_profile_find(const char *experiment, const char *name, char **path,
                      struct cca_error *err);

#endif
