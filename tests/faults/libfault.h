/* SPDX-License-Identifier: BSD-3-Clause */
/* libfault.h: what a program that runs under libfault.so may know of it. */
#ifndef TESTS_FAULTS_LIBFAULT_H
#define TESTS_FAULTS_LIBFAULT_H

#include <stdint.h>

/* What the file FAULT_REPORT holds. */
struct fault_report {
    uint64_t calls, failed; /* __atomic */
};

/* With FAULT_ARMED=0: calls count from now on. Looked up by dlsym. */
void fault_arm(void);

#endif
