/* SPDX-License-Identifier: BSD-3-Clause */
/* agree.c: ranks agree on a failure. */
#include "components/Checkpoint/parts.h"

#include <string.h>

/* Report that a message did not arrive. The framework reports which rank is the cause. */
static int exchange_fail(int code, struct cca_error *err)
{
    memset(err, 0, sizeof *err);
    return cca_error_set(err, code, "no answer from other ranks: %s", strerror(-code));
}

int agree(struct exchange_port *ranks, int code, struct cca_error *err)
{
    double first;
    int result;

    if (!ranks)
        return code;
    if (code && !err->code)
        cca_error_set(err, code, "%s", strerror(-code));
    first = code ? ranks->rank(ranks) : ranks->size(ranks);
    result = ranks->minimum(ranks, &first, 1);
    if (result)
        return exchange_fail(result, err);
    if (first == ranks->size(ranks))
        return 0;
    result = ranks->broadcast(ranks, (int)first, err, sizeof *err);
    return result ? exchange_fail(result, err) : err->code;
}

int share(struct exchange_port *ranks, void *bytes, size_t size, struct cca_error *err)
{
    int code = ranks ? ranks->broadcast(ranks, 0, bytes, size) : 0;

    return code ? exchange_fail(code, err) : 0;
}
