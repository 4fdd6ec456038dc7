/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh_file.h: the file of a mesh profile, EXPERIMENT/mesh/NAME.cells: the costs of the
 * cells of a mesh, step by step.
 *
 *     head     64 bytes
 *     frame    a head of 128 bytes and a payload, filled with zeros to whole 8 bytes
 *     frame    ...
 *
 * The file only grows. Each frame has a check of its own. A reader stops at the first
 * incomplete frame, which a running or killed writer may leave at the end. A step is
 * complete when its frame STEP exists; it has the BLOCK frames with its number. Frames of
 * several steps may be interleaved. Byte order is the machine's.
 *
 * Frames ABOUT and PROBE come before the first BLOCK. A BLOCK has the values of one probe
 * in a box of cells of one level, as reported by one rank. Boxes of one step, probe and
 * level do not overlap. Cells outside all boxes have no reported value. */
#ifndef MASTERMIND_FORMAT_MESH_FILE_H
#define MASTERMIND_FORMAT_MESH_FILE_H

#include <stdint.h>

#include "mastermind/format/layout.h"

#define MM_MESH_FOLDER "mesh" /* a folder in the experiment directory */
#define MM_MESH_SUFFIX ".cells"
#define MM_MESH_MAGIC "MMCELLS\1"
#define MM_MESH_FRAME_MARK 0x4d415246u /* "FRAM" */

enum {
    MM_MESH_HEAD_BYTES = 64,
    MM_MESH_FRAME_BYTES = 128,
    MM_MESH_NAME_BYTES = 64, /* size of the name of a profile or probe,
                                with the final NUL;
                                [A-Za-z0-9_.+-] */
    MM_MESH_PROBES = 64,
    MM_MESH_LEVELS = 32,
    MM_MESH_PAYLOAD = 1 << 26, /* most bytes of a payload */
    MM_MESH_CHAIN = 32 /* most BLOCK frames needed to decode one, including itself */
};
/* most cells of a level or a box, and most elements */
#define MM_MESH_CELLS (INT64_C(1) << 31)

/* Types of frames. */
enum mm_mesh_type {
    MM_MESH_ABOUT = 1, /* struct mm_mesh_about */
    MM_MESH_PROBE,     /* struct mm_mesh_probe */
    MM_MESH_ELEMENTS,  /* doubles: the centres, 3 for each element lo[0] <= e < hi[0] */
    MM_MESH_BLOCK,     /* values of the cells lo <= c < hi, packed (mesh/pack/pack.h) */
    MM_MESH_STEP,      /* struct mm_mesh_step_end: the step is complete */
    MM_MESH_LOST,      /* struct mm_mesh_lost: values that a rank could not deliver */
    MM_MESH_NOTE       /* a line of text without newline */
};

enum mm_mesh_kind { MM_MESH_GRID = 0, MM_MESH_UNSTRUCTURED = 1 };

struct mm_mesh_head {
    char magic[8];
    uint32_t order;  /* 0x01020304 */
    uint32_t format; /* 1 */
    uint64_t reserved[5];
    uint64_t check; /* mm_block_check of the preceding words */
};

struct mm_mesh_frame {
    uint32_t mark;
    uint16_t type;  /* enum mm_mesh_type */
    uint16_t level; /* mesh level of a BLOCK; 0 is the coarsest level */
    uint32_t bytes; /* size of the payload, without padding zeros */
    int32_t rank;   /* number of the rank; -1: no rank */
    int64_t step;   /* the program's number of the step, in BLOCK, STEP and LOST frames */
    int64_t lo[3],
        hi[3]; /* lo <= c < hi; unused dimensions 0 and 1; elements use dimension 0 */
    uint64_t previous; /* offset of the BLOCK from whose values this one is predicted;
                          0: none */
    uint16_t probe;    /* number of the probe of a BLOCK */
    uint16_t reserved;
    float largest;          /* largest error of a value, in the probe's unit */
    float rms;              /* root mean square error */
    float sum_error;        /* sum of the decoded values minus `sum` */
    float least, greatest;  /* extremes of the finite original values; NAN: none */
    double sum;             /* sum of the finite original values */
    uint64_t payload_check; /* mm_block_check of the padded payload */
    uint64_t check;         /* mm_block_check of the head (with this word 0) and the
                               padded payload */
};
_Static_assert(sizeof(struct mm_mesh_head) == MM_MESH_HEAD_BYTES, "no gaps");
_Static_assert(sizeof(struct mm_mesh_frame) == MM_MESH_FRAME_BYTES, "no gaps");

struct mm_mesh_about {
    int32_t kind; /* enum mm_mesh_kind */
    int32_t dims; /* number of dimensions, 1 to 3; for elements, of their coordinates */
    int64_t n[3]; /* cells of level 0, 1 in unused dimensions; for elements: their
                     number, 1, 1 */
    int32_t levels, ratio;        /* level l + 1 is finer by `ratio` in each dimension;
                                     elements: 1, 1 */
    double origin[3], spacing[3]; /* corner and cell size of level 0; spacing > 0 */
    char name[MM_MESH_NAME_BYTES];
};

struct mm_mesh_probe {
    int32_t probe; /* number from 0, ascending */
    int32_t whole; /* 1: a value belongs to a block, whose cells share it evenly */
    double eps;    /* bound on the error of each value, in `unit`; 0: exact */
    char name[MM_MESH_NAME_BYTES];
    char unit[16]; /* "ns", "cycles", "instructions"; "": a count */
};

struct mm_mesh_step_end {
    double time_s;   /* the program's own time of the step, or NAN */
    uint64_t blocks; /* number of BLOCK frames of this step */
    uint32_t ranks;  /* number of ranks that reported values */
    uint32_t lost;   /* number of ranks that reported no values or only some */
};

struct mm_mesh_lost {
    int64_t first, last; /* first and last lost step */
    uint64_t count;      /* number of lost steps from first to last */
    char why[40];
};

#endif
