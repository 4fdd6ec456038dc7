/* SPDX-License-Identifier: BSD-3-Clause */
/* cost.h: measure the CPU time that a sample takes from the program. */
#ifndef MASTERMIND_LIBRARY_SAMPLE_COST_H
#define MASTERMIND_LIBRARY_SAMPLE_COST_H

/* Measure the CPU time that one sample takes, in this thread; `has_stack`: one with a
 * full copy of the stack. This takes some 15 ms. Returns ns; 0: unknown. */
double sample_cost_ns(int has_kernel, int has_stack);

#endif
