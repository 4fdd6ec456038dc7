/* SPDX-License-Identifier: BSD-3-Clause */
/* policy.h: when to repartition.
 *
 * A live policy is asked at each step and knows what a running program can know. The
 * others know the whole trace: `paper` goes back and forth in it, `look` sees some steps
 * ahead, `oracle` all. */
#ifndef MESH_BALANCE_POLICY_H
#define MESH_BALANCE_POLICY_H

#include "mesh/balance/schedule.h"

enum mesh_policy_kind {
    MESH_NEVER,
    MESH_EACH,      /* before every step */
    MESH_FIXED,     /* fixed:N, before steps N, 2N, ... */
    MESH_PAPER,     /* paper:TH:MIN:MAX[:FIRST], the paper's 4.2; not live */
    MESH_THRESHOLD, /* threshold:TH, where the imbalance is at least TH */
    MESH_LOSS,      /* where the loss since the last time has reached the price */
    MESH_EXPECT,    /* where waiting would cost more than the price, see expect.c */
    MESH_LOOK,      /* look:H, as the oracle, but seeing H steps ahead; not live */
    MESH_ORACLE,    /* not live */
    MESH_DECIDER    /* a struct mesh_decider */
};

/* So many partitions of the steps before are looked at: what they cost is the price of
 * knowing how partitions age. */
enum { MESH_PAST = 128 };

struct mesh_seen;

/* A policy from elsewhere. */
struct mesh_decider {
    void (*begin)(void *context); /* NULL, or called before a trace's step 0 */
    /* As mesh_policy_decide. NULL: see `schedule`. */
    int (*decide)(void *context, const struct mesh_seen *seen);
    /* For a policy that is not live: as mesh_policy_schedule. NULL: see `decide`. */
    int (*schedule)(void *context, const struct mesh_loads *loads,
                    const struct mesh_price *price, unsigned char *schedule);
    void *context;
};

struct mesh_ages;

/* What was chosen for expect, on traces (bench/mesh/policies.c chooses them anew without
 * the family of traces that it judges). */
struct mesh_expect_constants {
    double share;    /* of the best threshold */
    double patience; /* prices that may be lost at most */
    double memory;   /* questions after which what was seen counts 1 / e */
};
extern const struct mesh_expect_constants mesh_expect_defaults;

/* A policy and its state. Copied freely while it has seen nothing. */
struct mesh_policy {
    char text[64]; /* as it was written */
    enum mesh_policy_kind kind;
    int64_t steps[3]; /* N; MIN, MAX, FIRST; H */
    double threshold;
    int64_t every; /* of a live policy: asked before each such step alone; 0: 1. Set by
                      the caller */
    double lost;   /* since the last repartition */
    double usual;  /* running mean of the intervals; 0: none yet */
    struct mesh_expect_constants expect;
    struct mesh_ages *ages; /* of expect: how partitions age */
    struct mesh_decider decider;
};

/* What a running program knows before it computes a step. Loads in the unit of the
 * weights. */
struct mesh_seen {
    int64_t step;   /* from 0, the first of the run */
    int64_t age;    /* steps that were computed with the partition that stands */
    double largest; /* part load, under the partition that stands */
    double mean;
    double fresh; /* largest part load under a partition that were made now */
    double price; /* of making it, with the cells that would move */
    /* What older partitions would be worth now: past[a] is the largest part load under
     * the one made of weights `a` steps older, a = 0 .. past_count - 1, at most MESH_PAST
     * of them; past[0] = fresh. */
    const double *past;
    const double *past_price; /* of replacing each of them by a new one */
    int64_t past_count;       /* 0: not known */
    int64_t remaining;        /* steps from this one to the last; 0: not known */
    int64_t every; /* steps from one question to the next; 0: 1. Ages in `past` are in
                      questions */
};

/* Read a policy: "fixed:20", "paper:.15:5:20", "expect". 0, or -EINVAL with found and
 * expected. */
int mesh_policy_read(struct mesh_policy *policy, const char *text, struct cca_error *err);

/* A policy from elsewhere, called `text` in messages. */
void mesh_policy_plug(struct mesh_policy *policy, const char *text,
                      const struct mesh_decider *decider);

/* True where mesh_policy_decide can answer. */
int mesh_policy_is_live(const struct mesh_policy *policy);

/* True where mesh_policy_decide looks at `past`, which costs more than all else. */
int mesh_policy_sees_past(const struct mesh_policy *policy);

/* Ask before each step, in order; at step 0 the answer is 0. 1: repartition now: the
 * policy takes it that this is done; 0: not now; -ENOMEM. The caller ends with
 * mesh_policy_done. */
int mesh_policy_decide(struct mesh_policy *policy, const struct mesh_seen *seen);

/* Free what a policy has remembered: it has seen nothing then. */
void mesh_policy_done(struct mesh_policy *policy);

/* The schedule of a policy, which has seen nothing, into schedule[steps]. 0 or -ENOMEM.
 */
int mesh_policy_schedule(const struct mesh_policy *policy, const struct mesh_loads *loads,
                         const struct mesh_price *price, unsigned char *schedule);

/* The paper's pseudocode (section 4.2): the imbalance (largest - mean) / mean at step k
 * under the partition of step s comes from `imbalance`. The interval begins as `first`,
 * is doubled up to `most` and halved down to `least`; probes go back at most to the last
 * repartition. Steps at which to repartition go into schedule[steps]; *probes and
 * *backtracks, where not NULL, count. */
void mesh_paper(double (*imbalance)(const void *context, int64_t s, int64_t k),
                const void *context, int64_t steps, double threshold, int64_t least,
                int64_t most, int64_t first, unsigned char *schedule, int64_t *probes,
                int64_t *backtracks);

#endif
