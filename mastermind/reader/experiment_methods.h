/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment_methods.h: methods.json of every rank, merged into one table. */
#ifndef MASTERMIND_READER_EXPERIMENT_METHODS_H
#define MASTERMIND_READER_EXPERIMENT_METHODS_H

#include "mastermind/reader/experiment.h"

/* A rank's methods by id, borrowed from the experiment. */
struct mm_rank_methods {
    struct mm_method_info **by_id;
    size_t count;
};

/* Read a rank's methods.json and add its methods to the experiment. 0; -ENOENT without a
 * message; -EBADMSG, -ENOMEM, -EIO. */
int mm_methods_read(struct mm_experiment *experiment, struct mm_rank_methods *rank,
                    const char *path, struct cca_error *err);

#endif
