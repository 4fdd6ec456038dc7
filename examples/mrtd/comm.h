/* SPDX-License-Identifier: BSD-3-Clause */
/* comm.h: ranks, and this thread's CPU time outside of MPI. Built with MRTD_MPI defined
 * it uses MPI; else there is one rank. Errors of MPI end the run, as MPI's default is.
 * All are collective but the clock. One thread. */
#ifndef EXAMPLES_MRTD_COMM_H
#define EXAMPLES_MRTD_COMM_H

#include <stdint.h>

void mrtd_comm_begin(void);
void mrtd_comm_end(void);
/* End the run of all ranks with this line on standard error and status 1. */
void mrtd_comm_abort(const char *why);
int mrtd_comm_rank(void);
int mrtd_comm_ranks(void);

/* CPU nanoseconds of this thread since mrtd_comm_begin, those within the functions below
 * left out: a rank that waits for others spins there. */
int64_t mrtd_comm_cpu_ns(void);

/* Wait; no time of mrtd_comm_cpu_ns passes. Not collective. */
void mrtd_comm_pause(int32_t ms);

/* Give each rank r the doubles out[first_out[r] .. first_out[r + 1]) and take its ones
 * into in[first_in[r] .. first_in[r + 1]); both sides know the numbers. Nothing goes to
 * the rank itself. */
void mrtd_comm_swap(const double *out, const int64_t *first_out, double *in,
                    const int64_t *first_in);

/* Each rank's `count` bytes one after another into `all`; counts[r] is that of rank r. */
void mrtd_comm_gather(const unsigned char *bytes, int32_t count, unsigned char *all,
                      const int32_t *counts);

/* The lowest rank whose `failed` is not 0; -1: none. */
int32_t mrtd_comm_first(int32_t failed);

/* Element by element over all ranks, in place: the largest; the sum, modulo 2^64. */
void mrtd_comm_max(int64_t *values, int32_t count);
void mrtd_comm_sum(int64_t *values, int32_t count);
/* The sum of doubles, in no given order. */
void mrtd_comm_sum_real(double *values, int32_t count);

#endif
