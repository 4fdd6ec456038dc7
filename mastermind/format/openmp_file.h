/* SPDX-License-Identifier: BSD-3-Clause */
/* openmp_file.h: the file of a process's OpenMP regions: what each thread of their teams
 * has done. It can be read at any moment, also after the process's end.
 *
 * 0      head
 * 4096   records, one behind the other up to `end` of the head:
 *            region   once for each place in the code and level
 *            thread   once for each thread number of its teams
 * end    zeros
 *
 * Byte order is the machine's. A record's constant words are complete before `end` moves
 * behind it. The others grow whenever a region ends: in a process that was killed just
 * then some words have that region and some have not. */
#ifndef MASTERMIND_FORMAT_OPENMP_FILE_H
#define MASTERMIND_FORMAT_OPENMP_FILE_H

#include <stdint.h>

#define MEAS_OPENMP_FILE "openmp" /* in the folder of a rank */
#define MEAS_OPENMP_MAGIC "MMOMPR\0\1"

enum { MEAS_OPENMP_FIRST = 4096, MEAS_OPENMP_MOST = 1 << 20 };
enum { MEAS_OPENMP_REGIONS = 1024, MEAS_OPENMP_THREADS = 1024 };

struct meas_openmp_head {
    char magic[8];
    uint32_t region_bytes, thread_bytes; /* of a record */
    uint64_t end;
    uint64_t folded; /* ends of regions, or of threads in them, without a record */
};

enum { MEAS_OPENMP_REGION = 1, MEAS_OPENMP_THREAD = 2 };   /* types of records */
enum { MEAS_OPENMP_OF_GOMP = 1, MEAS_OPENMP_OF_OMPT = 2 }; /* kinds of regions */

/* 512 bytes. */
struct meas_openmp_region {
    uint32_t type, bytes;
    uint32_t kind, level; /* level 1: not inside another region */
    /* Of the function that the region's body became; where OMPT does not know it, behind
     * the call that begins the region. */
    uint64_t offset;       /* in the object's file */
    uint64_t begun, ended; /* times that it has */
    uint64_t wall_ns;      /* of those that ended, from the first thread's call to its
                              return */
    uint8_t build_id[20];
    uint32_t build_id_bytes; /* 0: none */
    char function[128];      /* "main._omp_fn.0" of gcc, "main" of clang; "": not known */
    char path[312];          /* of the object, its end where it is long */
};

/* 64 bytes. For each thread the four times add up to wall_ns of the regions that it was
 * in. */
struct meas_openmp_thread {
    uint32_t type, bytes;
    uint32_t region,
        thread; /* number among the regions of the file, from 0; in its team */
    uint64_t calls;
    uint64_t busy_ns; /* in the body, without what follows; tasks count as body */
    uint64_t
        barrier_ns;    /* waiting for other threads: barriers, tasks, the region's end */
    uint64_t mutex_ns; /* waiting to enter: critical, atomic, ordered, locks */
    uint64_t control_ns; /* starting and ending the team, handing out work */
    uint64_t unused;
};

#endif
