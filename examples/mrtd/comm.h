/* SPDX-License-Identifier: BSD-3-Clause */
/* comm.h: communication of ranks, and this thread's CPU time outside of MPI. With
 * MRTD_MPI defined it uses MPI; else there is one rank. Errors of MPI end the run, which
 * is MPI's default. All functions are collective except the clock. One thread. */
#ifndef EXAMPLES_MRTD_COMM_H
#define EXAMPLES_MRTD_COMM_H

#include <stdint.h>

void mrtd_comm_begin(void);
void mrtd_comm_end(void);
/* Print `why` on standard error and end all ranks with status 1. */
void mrtd_comm_abort(const char *why);
int mrtd_comm_rank(void);
int mrtd_comm_ranks(void);

/* Return the CPU time of this thread since mrtd_comm_begin, ns, without the time in the
 * following functions, in which a rank may spin while it waits. */
int64_t mrtd_comm_cpu_ns(void);

/* Sleep; mrtd_comm_cpu_ns does not advance. Not collective. */
void mrtd_comm_pause(int32_t ms);

/* Send the doubles out[first_out[r] .. first_out[r + 1]) to each rank r, and receive
 * doubles from it into in[first_in[r] .. first_in[r + 1]). Both sides must use the same
 * counts. A rank sends nothing to itself. */
void mrtd_comm_swap(const double *out, const int64_t *first_out, double *in,
                    const int64_t *first_in);

/* Concatenate the `count` bytes of each rank in `all`; counts[r] is the number of bytes
 * of rank r. */
void mrtd_comm_gather(const unsigned char *bytes, int32_t count, unsigned char *all,
                      const int32_t *counts);

/* Return the lowest rank whose `failed` is not 0; -1: there is none. */
int32_t mrtd_comm_first(int32_t failed);

/* Reduce arrays elementwise over all ranks, in place: to the maximum, or to the sum
 * modulo 2^64. */
void mrtd_comm_max(int64_t *values, int32_t count);
void mrtd_comm_sum(int64_t *values, int32_t count);
/* Reduce doubles to their sum over all ranks, in unspecified order. */
void mrtd_comm_sum_real(double *values, int32_t count);

#endif
