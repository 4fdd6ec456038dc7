/* SPDX-License-Identifier: BSD-3-Clause */
/* profile_core.h: a profile that is being read, for the files of this folder. */
#ifndef MESH_TRACE_PROFILE_CORE_H
#define MESH_TRACE_PROFILE_CORE_H

#include "mesh/pack/pack.h"
#include "mesh/trace/profile.h"

enum { MESH_BLOCK_CELLS = MESH_PACK_CELLS, MESH_TORN_BYTES = 1 << 16 };
enum { MESH_FREE_BYTES = 1 << 16 }; /* of coordinates for each byte of the file */

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
    uint64_t size, end;         /* of the file, of its last whole frame */
    struct mm_mesh_about about; /* dims 0: not yet found */
    struct mm_mesh_probe *probes;
    size_t probe_count;
    double *centres; /* NAN: never given */
    struct mesh_step *steps;
    size_t step_count;
    struct mesh_block *blocks, *pending; /* of whole steps; of others */
    size_t block_count, pending_count;
    struct mesh_loss *losses;
    size_t loss_count;
    char **notes;
    size_t note_count;
    void *payload; /* scratch */
    size_t payload_capacity;
    uint64_t decoded;
    struct mesh_kept *kept; /* decoded last of each brick; NULL: nothing yet */
    float *part;            /* scratch of mesh_profile_part */
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

/* The payload of a frame, valid until the next call. 0, -EBADMSG, -ENOMEM or an I/O
 * error. */
int mesh_profile_payload(struct mesh_profile *p, const struct mesh_block *block,
                         void **payload, struct cca_error *err);

/* The head of the BLOCK at an offset, also of one whose step never ended. 0, -EBADMSG or
 * an I/O error. */
int mesh_profile_head(const struct mesh_profile *p, uint64_t offset,
                      struct mesh_block *block, struct cca_error *err);

/* Decode the cells lo <= c < hi, which lie in the block, or all of it; what is before it
 * in its chain, too, unless it was decoded last. *part is borrowed until the next call.
 * 0, -EBADMSG, -ENOTSUP, -ENOMEM or an I/O error. */
int mesh_profile_part(struct mesh_profile *p, const struct mesh_block *block,
                      const int64_t lo[3], const int64_t hi[3], struct mesh_part *part,
                      struct cca_error *err);
void mesh_kept_free(struct mesh_kept *kept);

/* The path of the profile `name`, or of the only one; the caller frees it. 0, -ENOENT,
 * -EINVAL, -ENOMEM or an I/O error. */
int mesh_profile_find(const char *experiment, const char *name, char **path,
                      struct cca_error *err);

#endif
