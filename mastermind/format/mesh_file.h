/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh_file.h: layout of the file of a mesh profile, EXPERIMENT/mesh/NAME.cells: the
 * costs of the cells of a mesh in each step of the program.
 *
 *     head     64 bytes
 *     frame    a head of 128 bytes and a payload, filled with zeros to whole 8 bytes
 *     frame    ...
 *
 * The file only grows. Each frame has a check sum of its own. A reader stops at the first
 * incomplete frame, which a running or killed writer may leave at the end. The frames
 * BLOCK with a step's number belong to it; the step is complete when its frame STEP
 * exists. Frames of several steps may be interleaved. Byte order is the machine's.
 *
 * Frames ABOUT and PROBE come before the first BLOCK. A BLOCK has the values of one probe
 * in a box of cells of one level, as one rank has reported them. Boxes of the same step,
 * probe and level do not overlap. Cells outside all boxes have no reported value. */
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
    /* size of the name of a profile or probe, with the final NUL; allowed are
       [A-Za-z0-9_.+-] */
    MM_MESH_NAME_BYTES = 64,
    MM_MESH_PROBES = 64,
    MM_MESH_LEVELS = 32,
    MM_MESH_PAYLOAD = 1 << 26, /* largest size of a payload in bytes */
    /* largest number of BLOCK frames, including itself, that are needed to decode one */
    MM_MESH_CHAIN = 32
};
/* largest number of cells of a level or a box, and of elements */
#define MM_MESH_CELLS (INT64_C(1) << 31)

/* Types of frames. */
enum mm_mesh_type {
    MM_MESH_ABOUT = 1, /* struct mm_mesh_about */
    MM_MESH_PROBE,     /* struct mm_mesh_probe */
    /* doubles: the centre of each element e, lo[0] <= e < hi[0], three numbers for
     * each */
    MM_MESH_ELEMENTS,
    /* values of the cells c in the box lo <= c < hi, packed (mesh/pack/pack.h) */
    MM_MESH_BLOCK,
    MM_MESH_STEP, /* struct mm_mesh_step_end: the step is complete */
    MM_MESH_LOST, /* struct mm_mesh_lost: values that a rank could not deliver */
    MM_MESH_NOTE  /* a line of text without newline */
};

enum mm_mesh_kind { MM_MESH_GRID = 0, MM_MESH_UNSTRUCTURED = 1 };

struct mm_mesh_head {
    char magic[8];
    uint32_t order;  /* 0x01020304 */
    uint32_t format; /* 1 */
    uint64_t reserved[5];
    uint64_t check; /* check sum, mm_block_check of the preceding words */
};

struct mm_mesh_frame {
    uint32_t mark;
    uint16_t type;  /* enum mm_mesh_type */
    uint16_t level; /* mesh level of a BLOCK; 0 is the coarsest level */
    uint32_t bytes; /* size of the payload, without the zeros that fill it up */
    int32_t rank;   /* number of the rank; -1: no rank */
    /* number that the program gives the step, in BLOCK, STEP and LOST frames */
    int64_t step;
    int64_t lo[3],
        /* box of cells c: lo <= c < hi; in unused dimensions lo is 0 and hi is 1;
           elements use dimension 0 */
        hi[3];
    /* offset of the BLOCK from whose values the values of this one are predicted; 0:
     * none */
    uint64_t previous;
    uint16_t probe; /* number of the probe of a BLOCK */
    uint16_t reserved;
    float largest;          /* largest error of a value, in the probe's unit */
    float rms;              /* root mean square error of the values */
    float sum_error;        /* sum of the decoded values minus `sum` */
    float least, greatest;  /* extremes of the finite original values; NAN: none */
    double sum;             /* sum of the finite original values */
    uint64_t payload_check; /* check sum, mm_block_check of the filled-up payload */
    /* check sum, mm_block_check of the head (with 0 in this word) and of the filled-up
     * payload */
    uint64_t check;
};
_Static_assert(sizeof(struct mm_mesh_head) == MM_MESH_HEAD_BYTES, "no gaps");
_Static_assert(sizeof(struct mm_mesh_frame) == MM_MESH_FRAME_BYTES, "no gaps");

struct mm_mesh_about {
    int32_t kind; /* enum mm_mesh_kind */
    /* number of dimensions, 1 to 3; for elements, number of their coordinates */
    int32_t dims;
    /* number of cells of level 0 in each dimension, 1 in unused ones; for elements:
     * number of elements, 1, 1 */
    int64_t n[3];
    /* number of levels; level l + 1 is finer by `ratio` in each dimension; for elements:
     * 1, 1 */
    int32_t levels, ratio;
    double origin[3], spacing[3]; /* corner and cell size of level 0; spacing > 0 */
    char name[MM_MESH_NAME_BYTES];
};

struct mm_mesh_probe {
    int32_t probe; /* number of the probe, from 0 in ascending order */
    /* 1 if a value is the cost of a whole block, which is divided evenly among its
     * cells */
    int32_t whole;
    double eps; /* bound on the error of each value, in `unit`; 0: exact */
    char name[MM_MESH_NAME_BYTES];
    char unit[16]; /* unit of the values: "ns", "cycles", "instructions"; "": a count */
};

struct mm_mesh_step_end {
    double time_s;   /* time that the program itself gives the step, or NAN */
    uint64_t blocks; /* number of BLOCK frames of this step */
    uint32_t ranks;  /* number of ranks that reported values */
    uint32_t lost;   /* number of ranks that reported no values, or not all */
};

struct mm_mesh_lost {
    int64_t first, last; /* numbers of the first and the last step that were lost */
    uint64_t count;      /* number of lost steps between these two, inclusive */
    char why[40];
};

#endif
