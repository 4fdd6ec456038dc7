/* SPDX-License-Identifier: BSD-3-Clause */
/* records.h: the byte format of a file of values (values.h has a drawing). */
#ifndef COMPONENTS_CHECKPOINT_RECORDS_H
#define COMPONENTS_CHECKPOINT_RECORDS_H

#include "components/Checkpoint/stream.h"
#include "components/Checkpoint/values.h"

#define VALUES_MAGIC "ckvalues"
#define VALUES_ORDER UINT64_C(0x0102030405060708)
enum { VALUES_VERSION = 1 };

struct values_head {
    char magic[8];
    uint64_t order;
    int64_t version, serial, file, bytes;
    uint64_t checksum;
};

struct record_head {
    int64_t level, ilo, jlo, nx, ny, components;
};

/* Make the head of the record of a patch, numbered over all levels. */
struct record_head record_head_make(const struct index *x, int level, int patch);

#endif
