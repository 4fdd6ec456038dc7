/* SPDX-License-Identifier: BSD-3-Clause */
/* proxy_learn.h: the costs of calls correct the rules, at a limited price.
 *
 * A region is the calls of one rule; an arm is a class in a region. The cost of a call is
 * a product:
 *
 *     cost = prediction x pace x level of the region
 *                       x bias of the class x bias of the arm x noise
 *
 * The prediction is the model's, from the file of rules. The pace is common to all calls
 * (the machine, its other guests) and changes at any time. Calls of a region's own arm
 * move pace and level alone. A trial of another arm is compared with the calls just
 * before it, and moves the biases of both, one up and one down; their prior is the
 * model's interval. An arm that was not called for long, or since the region's costs have
 * changed, becomes uncertain again.
 *
 * Noise has a heavy tail where a machine is shared: some calls take many times as long.
 * The residual of a call is cut at 2.5 standard deviations (Huber's estimator, computed
 * recursively), so such calls do not move the estimate of a typical cost; a trial beyond
 * that counts only if the next one is, too, and less, the longer it took. But a class may
 * have rare long calls of its own. Their sum is kept apart, in which the nth call counts
 * at most as 4 sqrt(n) typical ones (the truncated mean of Bubeck, Cesa-Bianchi and
 * Lugosi, Bandits with heavy tail, 2013). It is added to the cost of a class if its share
 * differs by 2.5 standard errors from the share of the other classes.
 *
 * Another arm is tried only while it might be better, and while all trials together are
 * expected to lose less than half of the limit (a conservative bandit: Wu, Shariff,
 * Lattimore and Szepesvari, 2016). An arm replaces another if it is better by four
 * standard errors, the slot's class by two, and with each change of a rule by half as
 * many more. If the rules have lost more than half of the limit, all calls go to the
 * slot's class from then on. */
#ifndef PROXIES_PROXY_LEARN_H
#define PROXIES_PROXY_LEARN_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ports/dispatch_port.h"
#include "proxies/proxy_float.h"
#include "proxies/proxy_table.h"

#define PROXY_CLIP 2.5     /* standard deviations at which a residual is cut */
#define PROXY_SURE 4.      /* standard errors by which an arm must be better, */
#define PROXY_SURE_BACK 2. /* and by which the slot's class must */
#define PROXY_OPEN 1.645   /* standard errors within which an arm may be better */
#define PROXY_WORTH .01    /* least gain for which an arm is tried or taken */

/* Variances of logarithms: of a class in this run against the runs of the models; of an
 * arm without a predicted cost; the growth of an arm's variance by a timed call. */
#define PROXY_CLASS_PRIOR .005
#define PROXY_UNKNOWN .25
#define PROXY_AGE 4e-6

#define PROXY_FIRST 3   /* calls that give the first estimate of the pace */
#define PROXY_PACE .25  /* weight of a call in the pace */
#define PROXY_MOVED .5  /* share of a change of costs that may be of an idle arm */
#define PROXY_ALLOWED 2 /* loss that never stops the rules, in mean calls */

#define PROXY_TAIL_ERRORS 2.5 /* standard errors by which rare long calls must differ */
#define PROXY_TAIL_CALLS 20   /* least number of a class's calls for that judgement */

#define PROXY_TIMING_NS 200. /* cost of timing a call; it may be this share of all: */
#define PROXY_TIMING_SHARE .002

enum {
    PROXY_MOST_CHANGES = 64,
    PROXY_MEMORY = 256,      /* calls of the mean predicted cost of a region */
    PROXY_PATIENCE = 1 << 22 /* attempts to take a learner */
};

/* The distribution of the logarithm of a factor. */
struct proxy_belief {
    double mean, variance;
};

/* A class in a region. */
struct proxy_arm {
    double log_ns;  /* logarithm of the predicted cost */
    double prior;   /* variance of `bias` at the start */
    double noise;   /* variance of one residual's logarithm */
    double level;   /* of the region at the last timed call of the arm */
    double typical; /* mean predicted cost of the region's calls with this class, ns */
    uint64_t seen;  /* number of the last timed call of the arm, among the method's */
    uint64_t calls; /* timed calls of the arm */
    struct proxy_belief bias;
    double power;  /* the prediction grows with that power of an in-value; 0: not */
    double log_at; /* logarithm of the in-value where it is `log_ns` */
    uint8_t value; /* index of the in-value */
    uint8_t is_double;
    uint16_t target;
    uint8_t doubted; /* true: the last trial took too long to be typical */
    uint8_t unknown; /* true: no arm of the region has a predicted cost; the first timed
                      * call of the region gives all the same */
};

/* The calls of a rule. */
struct proxy_region {
    struct proxy_arm *arms; /* [arm_count]; arms[0] is of the slot's class */
    size_t arm_count;
    size_t now;     /* index of the arm that calls go to; read and written as an atomic */
    uint32_t skip;  /* calls until the next timed one; an atomic */
    uint32_t step;  /* calls from a timed one to the next */
    uint64_t timed; /* number of timed calls */
    double level;   /* mean residual against the pace; all are logarithms */
    double level_calls; /* weight of `level` */
    double recent;      /* residual of the last few calls, with the pace */
    int side;    /* residuals in a row that were cut on one side; negative: below */
    int line;    /* line of the rule in its file */
    int changes; /* changes of `now` */
};

/* A class in all regions of a method. */
struct proxy_learn_class {
    struct proxy_belief bias;
    double calls, tail, tail_squares; /* excess of rare long calls, in typical calls */
};

struct proxy_learner {
    struct proxy_region *regions;
    size_t region_count;
    struct proxy_learn_class *classes; /* [class_count] of each target */
    size_t class_count;
    double pace;                     /* of the last few calls */
    double pace_mean, pace_variance; /* of the pace over the run */
    double drift;        /* mean residual of the last two calls, in standard deviations */
    double limit;        /* share of the time that may be lost */
    double total, spent; /* time of all calls so far, and of it lost by trials; ns */
    double lost;         /* time lost against the slot's class; negative: gained */
    uint64_t timed;      /* timed calls */
    uint64_t calls;      /* all calls, and the next calls that will not be timed */
    uint64_t random;
    int stopped;
    char busy; /* an atomic: a thread has the learner */
    struct dispatch_change *changes;
    size_t change_count; /* at most PROXY_MOST_CHANGES */
};

/* A timed call. */
struct proxy_timed {
    struct proxy_learner *learner; /* NULL: the call is not timed */
    struct proxy_region *region;
    size_t arm;
    double log_ns; /* logarithm of the predicted cost */
    uint64_t start_ns;
};

/* --- Functions of libm, for which proxies would need that library ------------ */

static inline double proxy_log(double x)
{
    uint64_t bits;
    int64_t exponent;
    double t, s;

    if (!(x > 1e-300))
        return -690.;
    memcpy(&bits, &x, sizeof bits);
    exponent = (int64_t)(bits >> 52) - 1023;
    bits = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(0x3ff0000000000000);
    memcpy(&x, &bits, sizeof x);
    if (x > 1.4142135623730951) {
        x *= .5;
        exponent++;
    }
    t = (x - 1) / (x + 1);
    s = t * t;
    return (double)exponent * .6931471805599453 +
           2 * t * (1 + s * (1. / 3 + s * (1. / 5 + s * (1. / 7 + s * (1. / 9)))));
}

static inline double proxy_exp(double x)
{
    double r, two;
    int64_t k;
    uint64_t bits;

    x = x > 690 ? 690 : x < -690 ? -690 : x;
    k = (int64_t)(x * 1.4426950408889634 + (x < 0 ? -.5 : .5));
    r = x - (double)k * .6931471805599453;
    bits = (uint64_t)(k + 1023) << 52;
    memcpy(&two, &bits, sizeof two);
    return two *
           (1 +
            r * (1 + r * (.5 + r * (1. / 6 + r * (1. / 24 + r * (1. / 120 + r / 720))))));
}

static inline double proxy_learn_root(double x)
{
    return x > 0 ? proxy_exp(.5 * proxy_log(x)) : 0;
}

/* --- Estimates ----------------------------------------------------------------- */

/* The predicted cost of a call with an arm, as a logarithm. */
static inline double proxy_arm_predict(const struct proxy_arm *arm,
                                       const union monitor_value *in)
{
    double x;

    if (arm->power == 0)
        return arm->log_ns;
    x = arm->is_double ? in[arm->value].d : (double)in[arm->value].i;
    /* false for absent values, too */
    return x > 0 ? arm->log_ns + arm->power * (proxy_log(x) - arm->log_at) : arm->log_ns;
}

/* Variance of an arm's bias now. If the region's costs have changed since its last call,
 * the other arm alone may have changed. */
static inline double proxy_arm_variance(const struct proxy_learner *learner,
                                        const struct proxy_region *region,
                                        const struct proxy_arm *arm)
{
    const double change = region->recent > arm->level ? region->recent - arm->level
                                                      : arm->level - region->recent;
    const double usual = 2 * proxy_learn_root(learner->pace_variance);
    const double moved = change > usual ? PROXY_MOVED * (change - usual) : 0;
    const double aged =
        arm->bias.variance + PROXY_AGE * (double)(learner->timed - arm->seen);
    const double most = arm->prior > arm->bias.variance ? arm->prior : arm->bias.variance;

    return (aged < most ? aged : most) + moved * moved;
}

/* Logarithm of the factor by which rare long calls raise the cost of a class, and its
 * variance. It is 0 if the other classes have as many: then they are the machine's. */
static inline double proxy_tail(const struct proxy_learner *learner, size_t target,
                                double *variance)
{
    const struct proxy_learn_class *own = &learner->classes[target];
    double calls = 0, sum = 0, squares = own->tail_squares, mine, rest, error;

    *variance = 0;
    for (size_t c = 0; c < learner->class_count; c++)
        if (c != target) {
            calls += learner->classes[c].calls;
            sum += learner->classes[c].tail;
            squares += learner->classes[c].tail_squares;
        }
    if (own->tail <= 0 || calls < PROXY_TAIL_CALLS || own->calls < PROXY_TAIL_CALLS)
        return 0;
    mine = own->tail / own->calls;
    rest = sum / calls;
    error = proxy_learn_root(squares / own->calls / calls);
    if (mine - rest < PROXY_TAIL_ERRORS * error)
        return 0;
    *variance = error * error / ((1 + mine) * (1 + mine));
    return proxy_log((1 + mine) / (1 + rest));
}

/* The logarithm of the cost ratio of two arms over the region's calls, and its standard
 * error. */
static inline struct proxy_belief proxy_compare(const struct proxy_learner *learner,
                                                const struct proxy_region *region,
                                                const struct proxy_arm *arm,
                                                const struct proxy_arm *with)
{
    const struct proxy_learn_class *a = &learner->classes[arm->target];
    const struct proxy_learn_class *b = &learner->classes[with->target];
    double tails[2];
    const double difference = proxy_tail(learner, arm->target, &tails[0]) -
                              proxy_tail(learner, with->target, &tails[1]);
    struct proxy_belief found;

    found.mean = proxy_log(arm->typical / with->typical) + a->bias.mean + arm->bias.mean -
                 b->bias.mean - with->bias.mean + difference;
    found.variance = a->bias.variance + b->bias.variance +
                     proxy_arm_variance(learner, region, arm) +
                     proxy_arm_variance(learner, region, with) + tails[0] + tails[1];
    return found;
}

/* --- A call -------------------------------------------------------------------- */

/* The cost that is expected of a call with an arm, ns. */
static inline double proxy_arm_expect(const struct proxy_learner *learner,
                                      const struct proxy_region *region,
                                      const struct proxy_arm *arm, double log_ns)
{
    return proxy_exp(log_ns + learner->pace + region->level + arm->bias.mean +
                     learner->classes[arm->target].bias.mean);
}

/* Choose an arm to try; the region's own: none. A trial of the slot's class, arm 0, loses
 * nothing against that class: every fourth call may be one, as long as it is open whether
 * the class is better. */
static inline size_t proxy_try(struct proxy_learner *learner,
                               const struct proxy_region *region, double expected)
{
    size_t best = region->now;
    double least = -PROXY_WORTH, loss = 0;

    learner->random ^= learner->random << 13;
    learner->random ^= learner->random >> 7;
    learner->random ^= learner->random << 17; /* trials follow no period of the program */
    if (learner->timed <= PROXY_FIRST || learner->drift > 1 || learner->drift < -1)
        return best; /* the pace is unknown, or is changing */
    for (size_t k = 0; k < region->arm_count; k++) {
        const struct proxy_belief d =
            proxy_compare(learner, region, &region->arms[k], &region->arms[region->now]);
        const double error = proxy_learn_root(d.variance);
        const double calls = (double)region->arms[k].calls;
        /* one or two calls may both have been disturbed */
        const double promise =
            d.mean - PROXY_OPEN * error * (calls > 0 ? 1 + 1 / calls : 1);
        /* the mean of a normal distribution's positive part is at most that */
        const double excess = expected * (proxy_exp(d.mean > 0 ? d.mean : 0) - 1 +
                                          .4 * (error < 1 ? error : 1));

        if (k == region->now || promise > least)
            continue;
        if (k == 0 && learner->random >> 62 == 0)
            return 0;
        if (k == 0 || learner->random >> 63 ||
            learner->spent + excess > .5 * learner->limit * learner->total)
            continue;
        least = promise;
        loss = excess;
        best = k;
    }
    learner->spent += loss;
    return best;
}

/* The number of calls so far. Calls that are not timed are counted ahead. */
static inline uint64_t proxy_learn_count(const struct proxy_learner *learner)
{
    uint64_t ahead = 0;

    for (size_t r = 0; r < learner->region_count; r++) {
        const uint32_t skip =
            __atomic_load_n(&learner->regions[r].skip, __ATOMIC_RELAXED);

        ahead += skip == UINT32_MAX ? 0 : skip;
    }
    return learner->calls > ahead ? learner->calls - ahead : 0;
}

static inline void proxy_learn_change(struct proxy_learner *learner,
                                      struct proxy_region *region, size_t to,
                                      enum dispatch_reason reason)
{
    struct dispatch_change change;

    memset(&change, 0, sizeof change);
    change.line = region->line;
    change.call = proxy_learn_count(learner);
    change.from = region->arms[region->now].target;
    change.to = region->arms[to].target;
    change.from_ns = proxy_arm_expect(learner, region, &region->arms[region->now],
                                      proxy_log(region->arms[region->now].typical));
    change.to_ns = proxy_arm_expect(learner, region, &region->arms[to],
                                    proxy_log(region->arms[to].typical));
    change.from_calls = region->arms[region->now].calls;
    change.to_calls = region->arms[to].calls;
    change.reason = reason;
    if (learner->change_count < PROXY_MOST_CHANGES)
        learner->changes[learner->change_count++] = change;
    region->changes++; /* each further change needs more evidence */
    __atomic_store_n(&region->now, to, __ATOMIC_RELAXED);
}

/* Send all calls to the slot's class from now on. */
static inline void proxy_learn_stop(struct proxy_learner *learner)
{
    learner->stopped = 1;
    for (size_t r = 0; r < learner->region_count; r++)
        if (learner->regions[r].now != 0)
            proxy_learn_change(learner, &learner->regions[r], 0, DISPATCH_STOPPED);
    for (size_t r = 0; r < learner->region_count; r++)
        __atomic_store_n(&learner->regions[r].skip, UINT32_MAX, __ATOMIC_RELAXED);
}

/* Begin a timed call: choose its arm. */
static inline void proxy_learn_begin(struct proxy_learner *learner,
                                     struct proxy_region *region,
                                     const union monitor_value *in,
                                     struct proxy_timed *timed)
{
    struct proxy_arm *now = &region->arms[region->now];
    const double weight = region->step;
    double log_ns = 0, expected, error, kept;
    struct proxy_belief d;

    learner->timed++;
    region->timed++;
    learner->calls += region->step;
    for (size_t k = 0; k < region->arm_count; k++) {
        struct proxy_arm *arm = &region->arms[k];
        const double predicted = proxy_arm_predict(arm, in);
        const double n =
            region->timed < PROXY_MEMORY ? (double)region->timed : (double)PROXY_MEMORY;

        if (k == region->now)
            log_ns = predicted;
        arm->typical += (proxy_exp(predicted) - arm->typical) / n;
    }
    expected = proxy_arm_expect(learner, region, now, log_ns);
    learner->total += weight * expected;
    if (now->target != region->arms[0].target) {
        d = proxy_compare(learner, region, now, &region->arms[0]);
        error = proxy_learn_root(d.variance);
        /* gains count as far as they are sure */
        kept = region->arms[0].calls - 1 < 4 ? 0 : d.mean + error; /* 1 to 4 calls */
        kept = d.mean > error ? d.mean : kept < 0 ? kept : 0;
        learner->lost += weight * expected * (1 - proxy_exp(-kept));
    }
    timed->region = region;
    timed->arm = proxy_try(learner, region, expected);
    timed->log_ns = timed->arm == region->now
                        ? log_ns
                        : proxy_arm_predict(&region->arms[timed->arm], in);
}

/* Cut the residual of a call. Residuals that are cut above add to the class's sum of
 * rare long calls. */
static inline double proxy_learn_cut(struct proxy_learner *learner, struct proxy_arm *arm,
                                     double residual, double variance, int *cut)
{
    struct proxy_learn_class *own = &learner->classes[arm->target];
    const double most = PROXY_CLIP * proxy_learn_root(variance);

    *cut = residual > most ? 1 : residual < -most ? -1 : 0;
    own->calls++;
    if (*cut > 0) {
        const double allowed = 4 * proxy_learn_root(own->calls);
        double excess = proxy_exp(residual) - 1;

        excess = excess < allowed ? excess : allowed;
        own->tail += excess;
        own->tail_squares += excess * excess;
    }
    return *cut ? *cut * most : residual;
}

/* Move pace and level by a call of the region's own arm. */
static inline void proxy_learn_level(struct proxy_learner *learner,
                                     struct proxy_region *region, struct proxy_arm *arm,
                                     double residual)
{
    const double calls = (double)(arm->calls < 64 ? arm->calls : 64) + 4;
    const double deviation = proxy_learn_root(arm->noise);
    double step, moved, kept;
    int cut;

    if (learner->timed <= PROXY_FIRST) { /* other guests only add to a cost */
        if (learner->timed == 1 || residual < 0)
            learner->pace += residual;
        learner->pace_mean = region->recent = learner->pace;
        return;
    }
    kept = proxy_learn_cut(learner, arm, residual, arm->noise, &cut);
    region->side = !cut || cut * region->side < 0 ? cut : region->side + cut;
    if (region->side >= 3 || region->side <= -3) { /* a change, no rare long calls */
        region->level_calls = 4;
        region->side = 0;
    }
    arm->noise += (kept * kept - arm->noise) / calls;
    learner->drift += .5 * (kept / deviation - learner->drift);
    learner->pace += PROXY_PACE * kept;
    step = learner->timed < 1000 ? 1 / (double)learner->timed : .001;
    learner->pace_mean += step * (learner->pace - learner->pace_mean);
    moved = learner->pace - learner->pace_mean;
    learner->pace_variance += step * (moved * moved - learner->pace_variance);
    region->level += (1 - PROXY_PACE) * kept / (region->level_calls + 2);
    if (region->level_calls < 64)
        region->level_calls++;
    moved = learner->pace + region->level - region->recent;
    region->recent += region->timed == 1 ? moved : PROXY_PACE * moved;
}

/* Move the biases of a tried arm and of the region's own by the trial. */
static inline void proxy_learn_trial(struct proxy_learner *learner,
                                     struct proxy_region *region, struct proxy_arm *arm,
                                     double residual)
{
    struct proxy_arm *now = &region->arms[region->now];
    struct proxy_belief *up[2] = {&arm->bias, &learner->classes[arm->target].bias};
    struct proxy_belief *down[2] = {&now->bias, &learner->classes[now->target].bias};
    const double calls = (double)(arm->calls < 64 ? arm->calls : 64) + 4;
    double variance, kept;
    int cut;

    arm->bias.variance = proxy_arm_variance(learner, region, arm);
    variance = arm->noise + .2 * now->noise;
    for (int i = 0; i < 2; i++)
        variance += up[i]->variance + down[i]->variance;
    kept = proxy_learn_cut(learner, arm, residual, variance, &cut);
    if (cut > 0 && !arm->doubted) { /* wait for a second one */
        arm->doubted = 1;
        return;
    }
    arm->doubted = 0;
    if (cut > 0) /* a very long call is no typical one */
        kept *= kept / residual;
    arm->noise += (kept * kept - variance) / calls;
    for (int i = 0; i < 2; i++) {
        const double gain = up[i]->variance / variance;
        const double against = down[i]->variance / variance;

        up[i]->mean += gain * kept;
        up[i]->variance *= 1 - gain;
        down[i]->mean -= against * kept;
        down[i]->variance *= 1 - against;
    }
}

/* Make the better arm the region's, where that is sure; stop where too much is lost. */
static inline void proxy_learn_decide(struct proxy_learner *learner,
                                      struct proxy_region *region)
{
    size_t best = region->now;
    double least = -PROXY_WORTH, mean;

    for (size_t k = 0; k < region->arm_count; k++) {
        const double sure =
            (k == 0 ? PROXY_SURE_BACK : PROXY_SURE) * (1 + .5 * region->changes);
        struct proxy_belief d;

        if (k == region->now || region->arms[k].calls < 2)
            continue;
        d = proxy_compare(learner, region, &region->arms[k], &region->arms[region->now]);
        if (d.mean < least && d.mean * d.mean > sure * sure * d.variance) {
            least = d.mean;
            best = k;
        }
    }
    if (best != region->now)
        proxy_learn_change(learner, region, best, DISPATCH_CHEAPER);
    mean = learner->total / (double)learner->calls;
    if (learner->lost > .5 * learner->limit * learner->total + PROXY_ALLOWED * mean)
        proxy_learn_stop(learner);
}

/* End a timed call that took `ns`. */
static inline void proxy_learn_end(struct proxy_learner *learner,
                                   const struct proxy_timed *timed, double ns)
{
    struct proxy_region *region = timed->region;
    struct proxy_arm *arm = &region->arms[timed->arm];
    const int unknown = arm->unknown;
    double log_ns = timed->log_ns, residual, step;

    for (size_t k = 0; unknown && k < region->arm_count; k++)
        if (region->arms[k].unknown) {
            region->arms[k].log_ns = log_ns =
                proxy_log(ns) - learner->pace - region->level;
            region->arms[k].typical = proxy_exp(log_ns);
            region->arms[k].unknown = 0;
        }
    residual = proxy_log(ns) - log_ns - learner->pace - region->level - arm->bias.mean -
               learner->classes[arm->target].bias.mean;
    if (arm == &region->arms[region->now])
        proxy_learn_level(learner, region, arm, residual);
    else
        proxy_learn_trial(learner, region, arm, residual);
    if (arm->noise < 1e-5)
        arm->noise = 1e-5;
    arm->calls++;
    arm->seen = learner->timed;
    arm->level = region->recent;
    proxy_learn_decide(learner, region);
    step = PROXY_TIMING_NS / (PROXY_TIMING_SHARE * ns);
    region->step = step < 1 ? 1 : step > 1000 ? 1000 : (uint32_t)step;
}

/* --- Calls of several threads --------------------------------------------------- */

static inline int proxy_learner_take(struct proxy_learner *learner)
{
    return !__atomic_exchange_n(&learner->busy, 1, __ATOMIC_ACQUIRE);
}

static inline void proxy_learner_give(struct proxy_learner *learner)
{
    __atomic_store_n(&learner->busy, 0, __ATOMIC_RELEASE);
}

/* Choose the target of a call whose turn it is to be timed. A thread that would have to
 * wait for another one does not time its call. */
static __attribute__((noinline, unused)) size_t
proxy_learn_choose(struct proxy_learner *learner, struct proxy_region *region,
                   const union monitor_value *in, struct proxy_timed *timed)
{
    size_t now = __atomic_load_n(&region->now, __ATOMIC_RELAXED);
    struct proxy_float floats;

    if (!proxy_learner_take(learner))
        return region->arms[now].target;
    if (!learner->stopped) {
        floats = proxy_float_save();
        timed->learner = learner;
        proxy_learn_begin(learner, region, in, timed);
        proxy_float_restore(&floats, timed);
        now = timed->arm;
    }
    __atomic_store_n(&region->skip, learner->stopped ? UINT32_MAX : region->step - 1,
                     __ATOMIC_RELAXED);
    proxy_learner_give(learner);
    return region->arms[now].target;
}

/* Choose the target of a call of the method's rule `rule`. timed->learner is set if the
 * call is to be timed. */
static inline size_t proxy_learn_target(struct proxy_learner *learner, size_t rule,
                                        const union monitor_value *in,
                                        struct proxy_timed *timed)
{
    struct proxy_region *region = &learner->regions[rule];
    const uint32_t skip = __atomic_load_n(&region->skip, __ATOMIC_RELAXED);

    if (!skip)
        return proxy_learn_choose(learner, region, in, timed);
    if (skip != UINT32_MAX) /* two threads may count one call; no harm is done */
        __atomic_store_n(&region->skip, skip - 1, __ATOMIC_RELAXED);
    return region->arms[__atomic_load_n(&region->now, __ATOMIC_RELAXED)].target;
}

/* Learn from a timed call that took `ns`. */
static __attribute__((noinline, unused)) void
proxy_learn_finish(const struct proxy_timed *timed, double ns)
{
    struct proxy_learner *learner = timed->learner;
    struct proxy_float floats;

    if (!proxy_learner_take(learner))
        return;
    floats = proxy_float_save();
    if (!learner->stopped)
        proxy_learn_end(learner, timed, ns > 1 ? ns : 1);
    proxy_float_restore(&floats, timed);
    proxy_learner_give(learner);
}

/* Move the changes since the last call to `changes`, at most `room`. In a child that was
 * forked while another thread had the learner, nobody gives it back: there are none. */
static inline size_t proxy_learn_changes(struct proxy_learner *learner,
                                         struct dispatch_change *changes, size_t room)
{
    size_t count;
    int attempts = 0;

    while (!proxy_learner_take(learner))
        if (++attempts == PROXY_PATIENCE)
            return 0;
    count = learner->change_count < room ? learner->change_count : room;
    memcpy(changes, learner->changes, count * sizeof *changes);
    learner->change_count = 0;
    proxy_learner_give(learner);
    return count;
}

/* --- From rules ---------------------------------------------------------------- */

static inline void proxy_learner_free(struct proxy_learner *learner)
{
    for (size_t r = 0; learner && r < learner->region_count; r++)
        free(learner->regions[r].arms);
    if (learner) {
        free(learner->regions);
        free(learner->classes);
        free(learner->changes);
    }
    free(learner);
}

/* Add an arm, unless the region has one of the target. */
static inline struct proxy_arm *proxy_arm_add(struct proxy_region *region, size_t target)
{
    struct proxy_arm *arm = region->arms;

    while (arm < region->arms + region->arm_count && arm->target != target)
        arm++;
    if (arm < region->arms + region->arm_count)
        return arm;
    region->arm_count++;
    arm->target = (uint16_t)target;
    arm->unknown = 1;
    arm->prior = arm->bias.variance = PROXY_UNKNOWN;
    arm->noise = .01;
    arm->typical = 1;
    return arm;
}

/* Give an arm its predicted cost. */
static inline int proxy_arm_set(struct proxy_arm *arm, const struct dispatch_cost *cost,
                                const struct proxy_table_method *method,
                                struct cca_error *err)
{
    const double error = cost->half / 1.645;
    size_t v = 0;

    arm->unknown = 0;
    arm->log_ns = proxy_log(cost->ns);
    arm->typical = cost->ns;
    arm->prior = arm->bias.variance = error * error;
    if (!cost->value)
        return 0;
    while (v < method->in_count && (strcmp(method->values[v].name, cost->value) != 0 ||
                                    method->values[v].kind != MONITOR_PARAM))
        v++;
    if (v == method->in_count)
        return cca_error_set(err, -EINVAL, "found '%s', expected a parameter of %s",
                             cost->value, method->name);
    arm->value = (uint8_t)v;
    arm->is_double = method->values[v].type == MONITOR_DOUBLE;
    arm->log_at = proxy_log(cost->at);
    arm->power = cost->power;
    return 0;
}

/* Give arms without a predicted cost the cost of the region's own arm, or of the first
 * arm that has one. */
static inline void proxy_region_fill(struct proxy_region *region)
{
    const struct proxy_arm *known = &region->arms[region->now];

    for (size_t k = 0; k < region->arm_count && known->unknown; k++)
        known = &region->arms[k];
    for (size_t k = 0; k < region->arm_count && !known->unknown; k++) {
        struct proxy_arm *arm = &region->arms[k];

        if (!arm->unknown)
            continue;
        arm->unknown = 0;
        arm->log_ns = known->log_ns;
        arm->typical = known->typical;
        arm->power = known->power;
        arm->log_at = known->log_at;
        arm->value = known->value;
        arm->is_double = known->is_double;
    }
}

/* Make the region of a rule. */
static inline int proxy_region_make(struct proxy_region *region,
                                    const struct dispatch_rule *rule, size_t index,
                                    const struct dispatch_learning *learning,
                                    const struct proxy_table_method *method, int *line,
                                    struct cca_error *err)
{
    int status = 0;

    region->arms =
        (struct proxy_arm *)calloc(learning->cost_count + 2, sizeof *region->arms);
    if (!region->arms)
        return cca_no_memory(err);
    region->line = rule->line;
    region->step = 1;
    proxy_arm_add(region, 0);
    for (size_t i = 0; i < learning->cost_count && !status; i++) {
        const struct dispatch_cost *cost = &learning->costs[i];

        *line = cost->line;
        if (cost->rule == index)
            status =
                proxy_arm_set(proxy_arm_add(region, cost->target), cost, method, err);
    }
    region->now = (size_t)(proxy_arm_add(region, rule->target) - region->arms);
    proxy_region_fill(region);
    return status;
}

/* Make the learner of a method: its regions are the rules of the method, in their order.
 * Returns NULL with `err` set. */
static inline struct proxy_learner *
proxy_learner_make(const struct proxy_table_method *method,
                   const struct dispatch_rule *rules, size_t rule_count,
                   const struct dispatch_learning *learning, size_t target_count,
                   int *line, struct cca_error *err)
{
    struct proxy_learner *learner = (struct proxy_learner *)calloc(1, sizeof *learner);
    int status = 0;

    if (!learner ||
        !(learner->regions =
              (struct proxy_region *)calloc(rule_count + 1, sizeof *learner->regions)) ||
        !(learner->classes = (struct proxy_learn_class *)calloc(
              target_count, sizeof *learner->classes)) ||
        !(learner->changes = (struct dispatch_change *)calloc(PROXY_MOST_CHANGES,
                                                              sizeof *learner->changes)))
        status = cca_no_memory(err);
    for (size_t r = 0; r < rule_count && !status; r++)
        if (strcmp(rules[r].method, method->name) == 0)
            status = proxy_region_make(&learner->regions[learner->region_count++],
                                       &rules[r], r, learning, method, line, err);
    if (status) {
        proxy_learner_free(learner);
        return NULL;
    }
    *line = 0;
    learner->class_count = target_count;
    for (size_t c = 0; c < target_count; c++)
        learner->classes[c].bias.variance = PROXY_CLASS_PRIOR;
    learner->limit = learning->limit;
    learner->random = UINT64_C(0x9e3779b97f4a7c15);
    return learner;
}

#endif
