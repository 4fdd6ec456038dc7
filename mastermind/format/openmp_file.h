/* SPDX-License-Identifier: BSD-3-Clause */
/* openmp_file.h: layout of the file of a process's OpenMP regions, with the times of each
 * thread of their teams. The file can be read at any time, also after the process's end.
 *
 * 0      head
 * 4096   consecutive records up to `end` of the head:
 *            region   one for each region's location in the code and nesting level
 *            thread   one for each thread number in the region's teams
 * end    zeros
 *
 * Byte order is the machine's. A record's constant words are complete before `end` is
 * moved past it. The other words grow whenever a region ends; if the process is killed
 * just then, only some words include that region. */
#ifndef MASTERMIND_FORMAT_OPENMP_FILE_H
#define MASTERMIND_FORMAT_OPENMP_FILE_H

#include <stdint.h>

#define MEAS_OPENMP_FILE "openmp" /* file in the directory of a rank */
#define MEAS_OPENMP_MAGIC "MMOMPR\0\1"

enum { MEAS_OPENMP_FIRST = 4096, MEAS_OPENMP_MOST = 1 << 20 };
enum { MEAS_OPENMP_REGIONS = 1024, MEAS_OPENMP_THREADS = 1024 };

struct meas_openmp_head {
    char magic[8];
    uint32_t region_bytes, thread_bytes; /* sizes of a record of each type */
    uint64_t end;
    /* number of executions of regions, or of threads in them, that had no record */
    uint64_t folded;
};

enum { MEAS_OPENMP_REGION = 1, MEAS_OPENMP_THREAD = 2 };   /* types of records */
enum { MEAS_OPENMP_OF_GOMP = 1, MEAS_OPENMP_OF_OMPT = 2 }; /* kinds of regions */

/* The record of a region; 512 bytes. */
struct meas_openmp_region {
    uint32_t type, bytes;
    /* kind and nesting level of the region; outermost regions have level 1 */
    uint32_t kind, level;
    /* The function that the compiler made from the region's body; if OMPT does not report
     * it, the address after the call that begins the region. */
    uint64_t offset;       /* offset of the function in the object's file */
    uint64_t begun, ended; /* number of executions that have begun, and that have ended */
    /* wall time of ended executions, from the first thread's call to its return */
    uint64_t wall_ns;
    uint8_t build_id[20];
    uint32_t build_id_bytes; /* size of the build id; 0: none */
    char function[128]; /* "main._omp_fn.0" from gcc, "main" from clang; "": unknown */
    char path[312]; /* path of the object's file; of a long path only the end is kept */
};

/* The record of a thread in a region; 64 bytes. Its four times add up to the wall time of
 * the executions in which it took part. */
struct meas_openmp_thread {
    uint32_t type, bytes;
    uint32_t region,
        /* index of the region among the file's regions, from 0; number of the thread in
           its team */
        thread;
    uint64_t calls;
    /* time in the region's body, including tasks, but without the following times */
    uint64_t busy_ns;
    /* time waiting for other threads, at barriers, for tasks and at the region's end */
    uint64_t barrier_ns;
    /* time waiting to enter critical, atomic and ordered sections, and for locks */
    uint64_t mutex_ns;
    /* time for starting and ending the team, and for distributing work */
    uint64_t control_ns;
    uint64_t unused;
};

#endif
