/* SPDX-License-Identifier: BSD-3-Clause */
/* traverser.c: depth-first traversal without recursion. */
#include "activity/walk/walk.h"

static int enter(const struct act_navigator *n, const struct act_content_handler *h,
                 struct cca_error *err)
{
    return h->enter ? h->enter(h->context, n->current(n->context), err) : 0;
}

static int leave(const struct act_navigator *n, const struct act_content_handler *h,
                 struct cca_error *err)
{
    return h->leave ? h->leave(h->context, n->current(n->context), err) : 0;
}

static int walk(void *context, const struct act_navigator *n,
                const struct act_content_handler *h, struct cca_error *err)
{
    int depth = 0, rc = enter(n, h, err);

    (void)context;
    while (!rc) {
        if (n->down(n->context)) {
            depth++;
            rc = enter(n, h, err);
            continue;
        }
        rc = leave(n, h, err);
        while (!rc && depth && !n->along(n->context)) {
            n->up(n->context);
            depth--;
            rc = leave(n, h, err);
        }
        if (rc || !depth)
            break;
        rc = enter(n, h, err);
    }
    return rc;
}

const struct act_traverser act_traverser_usual = {NULL, walk};
