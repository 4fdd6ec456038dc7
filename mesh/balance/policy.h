/* SPDX-License-Identifier: BSD-3-Clause */
/* policy.h: policies: when to repartition.
 *
 * A live policy decides at each step from facts that a running program has. Other
 * policies need the whole trace: `paper` goes back and forth in it, `look` sees some
 * steps ahead, `oracle` sees all steps. */
#ifndef MESH_BALANCE_POLICY_H
#define MESH_BALANCE_POLICY_H

#include "mesh/balance/schedule.h"

enum mesh_policy_kind {
    MESH_NEVER,
    MESH_EACH,      /* each: repartition before every step */
    MESH_FIXED,     /* fixed:N: repartition before steps N, 2N, ... */
    MESH_PAPER,     /* paper:TH:MIN:MAX[:FIRST]: see mesh_paper; not live */
    MESH_THRESHOLD, /* threshold:TH: repartition when the imbalance is at least TH */
    MESH_LOSS, /* loss: repartition when the losses since the last repartition sum to its
                  price */
    /* expect: repartition when waiting would cost more than the price, see expect.c */
    MESH_EXPECT,
    MESH_LOOK,   /* look:H: like the oracle, but sees only H steps ahead; not live */
    MESH_ORACLE, /* oracle: the schedule with the least total cost; not live */
    MESH_DECIDER /* decided by a struct mesh_decider */
};

/* Number of earlier partitions kept to estimate how imbalance grows with age; judging
 * them all takes time at each query. */
enum { MESH_PAST = 128 };

struct mesh_seen;

/* A policy defined by the caller, such as a plug-in. */
struct mesh_decider {
    void (*begin)(void *context); /* called before step 0 of a trace; may be NULL */
    /* Decides whether to repartition now, like mesh_policy_decide. NULL: the policy has
     * `schedule` instead. */
    int (*decide)(void *context, const struct mesh_seen *seen);
    /* Computes the schedule of an offline policy, like mesh_policy_schedule. NULL: the
     * policy has `decide` instead. */
    int (*schedule)(void *context, const struct mesh_loads *loads,
                    const struct mesh_price *price, unsigned char *schedule);
    void *context;
};

struct mesh_ages;

/* Constants of the policy expect, tuned on traces (bench/mesh/policies.c tunes them anew
 * without the family of traces under test). */
struct mesh_expect_constants {
    double share;    /* threshold in use / threshold that would have been best so far */
    double patience; /* most loss before repartitioning, in prices of a repartition */
    double memory;   /* number of queries after which a past loss weighs 1 / e */
};
extern const struct mesh_expect_constants mesh_expect_defaults;

/* A policy and its state. May be copied until its first query. */
struct mesh_policy {
    char text[64]; /* the policy as the user wrote it */
    enum mesh_policy_kind kind;
    int64_t steps[3]; /* numbers of steps in the policy's text: N; MIN, MAX, FIRST; H */
    double threshold;
    /* steps between two decisions of a live policy; 0 counts as 1. Set by the caller */
    int64_t every;
    double lost;  /* sum of losses since the last repartition */
    double usual; /* running mean of the intervals between repartitions; 0: none yet */
    struct mesh_expect_constants expect;
    /* for the policy expect: statistics of how imbalance grows with a partition's age */
    struct mesh_ages *ages;
    struct mesh_decider decider;
};

/* The facts a running program has before it computes a step. Loads are in the unit of the
 * weights. */
struct mesh_seen {
    int64_t step;   /* step number, 0: the first of the run */
    int64_t age;    /* number of steps computed with the current partition */
    double largest; /* largest load of a part with the current partition */
    double mean;
    double fresh; /* largest load of a part with a partition made now */
    /* price of replacing the current partition by a partition made now, with the price of
     * the cells that move */
    double price;
    /* Loads of older partitions at this step: past[a] is the largest load of a part under
     * the partition made from weights `a` queries ago, a = 0 .. past_count - 1, at most
     * MESH_PAST; past[0] = fresh. */
    const double *past;
    /* [past_count]: price of replacing the partition of past[a] by a new one */
    const double *past_price;
    int64_t past_count; /* length of `past` and `past_price`; 0: they are unknown */
    int64_t remaining;  /* number of steps from this step to the last; 0: unknown */
    int64_t every;      /* steps from one query to the next; 0 counts as 1. Ages in `past`
                           count queries */
};

/* Read a policy: "fixed:20", "paper:.15:5:20", "expect". Returns 0, or -EINVAL with found
 * and expected. */
int mesh_policy_read(struct mesh_policy *policy, const char *text, struct cca_error *err);

/* Make a policy from a plug-in; `text` is its name in messages. */
void mesh_policy_plug(struct mesh_policy *policy, const char *text,
                      const struct mesh_decider *decider);

/* Whether mesh_policy_decide can be called. */
int mesh_policy_is_live(const struct mesh_policy *policy);

/* Whether mesh_policy_decide reads `past`, which takes longer to compute than all other
 * facts. */
int mesh_policy_sees_past(const struct mesh_policy *policy);

/* Decide before each step, in order; at step 0 the result is 0. Returns 1: repartition
 * now (the policy assumes that the caller does so); 0: not now; -ENOMEM. The caller ends
 * with mesh_policy_done. */
int mesh_policy_decide(struct mesh_policy *policy, const struct mesh_seen *seen);

/* Free a policy's memory of earlier steps; it is then as before its first query. */
void mesh_policy_done(struct mesh_policy *policy);

/* Compute the schedule of a policy that was not queried yet, into schedule[steps].
 * Returns 0 or -ENOMEM. */
int mesh_policy_schedule(const struct mesh_policy *policy, const struct mesh_loads *loads,
                         const struct mesh_price *price, unsigned char *schedule);

/* Run the pseudocode in section 4.2 of the paper of docs/papers/mesh.md: the imbalance
 * (largest - mean) / mean at step k under the partition of step s comes from `imbalance`.
 * The interval begins as `first`, is doubled up to `most` and halved down to `least`;
 * the policy goes back at most to the last repartition. Steps at which to repartition go
 * into schedule[steps]; *probes and *backtracks, where not NULL, get the numbers of both.
 */
void mesh_paper(double (*imbalance)(const void *context, int64_t s, int64_t k),
                const void *context, int64_t steps, double threshold, int64_t least,
                int64_t most, int64_t first, unsigned char *schedule, int64_t *probes,
                int64_t *backtracks);

#endif
