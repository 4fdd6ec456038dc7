/* SPDX-License-Identifier: BSD-3-Clause */
/* report_messages.h: waiting in each method's MPI time, from sampled messages. */
#ifndef MASTERMIND_CMD_REPORT_MESSAGES_H
#define MASTERMIND_CMD_REPORT_MESSAGES_H

#include "mastermind/cmd/cmd.h"

struct mm_report_messages;

/* Read the messages that processes received (of one rank; -1: of all), and their
 * collective calls. Returns 0, with NULL if the run has no sampled messages; or a
 * negative errno with `err`. */
int mm_report_messages_new(struct mm_report_messages **messages,
                           const struct mm_experiment *experiment, int rank,
                           struct cca_error *err);
void mm_report_messages_free(struct mm_report_messages *messages);
/* Print a line for each method; `dual` has its time in MPI. If `messages` is NULL,
 * print nothing. */
void mm_report_messages_print(const struct mm_report_messages *messages,
                              const struct mm_dual *dual);
/* Set the member "waiting". If `messages` is NULL, set nothing. */
void mm_report_messages_put(const struct mm_report_messages *messages,
                            const struct mm_dual *dual, json_t *document);

#endif
