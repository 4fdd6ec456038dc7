/* SPDX-License-Identifier: BSD-3-Clause */
/* policy.c: policies: parsed from text, run step by step, and run as schedules of a
 * trace. */
#include "mesh/balance/policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/nearest.h"
#include "mesh/balance/parts.h"

/* Grammar of each kind of policy: the fields after its name, with the smallest value of
 * each field. */
static const struct words {
    const char *name;
    enum mesh_policy_kind kind;
    int threshold;   /* true if the first field of the policy is a threshold */
    int least, most; /* smallest and largest number of fields that are whole numbers */
    const char *form;
} kinds[] = {
    {"never", MESH_NEVER, 0, 0, 0, "never"},
    {"each", MESH_EACH, 0, 0, 0, "each"},
    {"fixed", MESH_FIXED, 0, 1, 1, "fixed:N"},
    {"paper", MESH_PAPER, 1, 2, 3, "paper:TH:MIN:MAX[:FIRST]"},
    {"threshold", MESH_THRESHOLD, 1, 0, 0, "threshold:TH"},
    {"loss", MESH_LOSS, 0, 0, 0, "loss"},
    {"expect", MESH_EXPECT, 0, 0, 0, "expect"},
    {"look", MESH_LOOK, 0, 1, 1, "look:H"},
    {"oracle", MESH_ORACLE, 0, 0, 0, "oracle"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct words *find_words(const char *text, size_t length)
{
    for (int i = 0; i < KINDS; i++)
        if (strlen(kinds[i].name) == length && strncmp(kinds[i].name, text, length) == 0)
            return &kinds[i];
    return NULL;
}

static int unknown(const char *text, size_t length, struct cca_error *err)
{
    struct cca_nearest nearest;
    char name[64], hint[96];

    snprintf(name, sizeof name, "%.*s", (int)length, text);
    cca_nearest_init(&nearest, name);
    for (int i = 0; i < KINDS; i++)
        cca_nearest_offer(&nearest, kinds[i].name);
    return cca_error_set(
        err, -EINVAL,
        "policy %s: found an unknown policy, expected never, each, fixed, "
        "paper, threshold, loss, expect, look or oracle%s",
        text, cca_nearest_hint(nearest.best, hint, sizeof hint));
}

/* Parse one ":field" of a policy as a number. Returns the end of the field; NULL: it is
 * not a number. */
static const char *read_number(const char *at, int whole, double least, double *value)
{
    char *end;

    if (*at != ':' || at[1] == '+' || at[1] == ' ' || at[1] == '\t')
        return NULL;
    *value = strtod(at + 1, &end);
    if (end == at + 1 || (*end && *end != ':') || !(*value >= least) || *value > 1e9 ||
        (whole && *value != floor(*value)))
        return NULL;
    return end;
}

static int read_words(struct mesh_policy *policy, const struct words *words,
                      const char *at)
{
    double value;
    int count = 0;

    if (words->threshold) {
        at = read_number(at, 0, 0, &policy->threshold);
        if (!at)
            return -EINVAL;
    }
    for (; *at && count < words->most; count++) {
        at = read_number(at, 1, 1, &value);
        if (!at)
            return -EINVAL;
        policy->steps[count] = (int64_t)value;
    }
    return *at || count < words->least ? -EINVAL : 0;
}

int mesh_policy_read(struct mesh_policy *policy, const char *text, struct cca_error *err)
{
    size_t length = strcspn(text, ":");
    const struct words *words = find_words(text, length);

    memset(policy, 0, sizeof *policy);
    if (!words)
        return unknown(text, length, err);
    policy->kind = words->kind;
    policy->expect = mesh_expect_defaults;
    if (strlen(text) >= sizeof policy->text || read_words(policy, words, text + length))
        return cca_error_set(err, -EINVAL, "policy: found %.80s, expected %s", text,
                             words->form);
    if (policy->kind == MESH_PAPER && policy->steps[2] == 0)
        policy->steps[2] = policy->steps[1];
    if (policy->kind == MESH_PAPER &&
        (policy->steps[0] > policy->steps[1] || policy->steps[2] < policy->steps[0] ||
         policy->steps[2] > policy->steps[1]))
        return cca_error_set(err, -EINVAL,
                             "policy: found %s, expected MIN <= FIRST <= MAX", text);
    strcpy(policy->text, text);
    return 0;
}

void mesh_policy_plug(struct mesh_policy *policy, const char *text,
                      const struct mesh_decider *decider)
{
    memset(policy, 0, sizeof *policy);
    snprintf(policy->text, sizeof policy->text, "%s", text);
    policy->kind = MESH_DECIDER;
    policy->decider = *decider;
}

int mesh_policy_is_live(const struct mesh_policy *policy)
{
    if (policy->kind == MESH_DECIDER)
        return policy->decider.decide != NULL;
    return policy->kind != MESH_PAPER && policy->kind != MESH_LOOK &&
           policy->kind != MESH_ORACLE;
}

static int decide(struct mesh_policy *policy, const struct mesh_seen *seen)
{
    switch (policy->kind) {
    case MESH_EACH:
        return 1;
    case MESH_FIXED:
        return seen->step / policy->steps[0] >
               (seen->step - (seen->every > 1 ? seen->every : 1)) / policy->steps[0];
    case MESH_THRESHOLD:
        return seen->mean > 0 && seen->largest / seen->mean - 1 >= policy->threshold;
    case MESH_LOSS:
        return seen->largest > seen->fresh && policy->lost >= seen->price;
    case MESH_EXPECT:
        return mesh_expect(policy, seen);
    case MESH_DECIDER:
        return policy->decider.decide(policy->decider.context, seen) > 0;
    default:
        return 0;
    }
}

int mesh_policy_sees_past(const struct mesh_policy *policy)
{
    return policy->kind == MESH_EXPECT || policy->kind == MESH_DECIDER;
}

void mesh_policy_done(struct mesh_policy *policy)
{
    free(policy->ages);
    policy->ages = NULL;
    policy->lost = 0;
}

int mesh_policy_decide(struct mesh_policy *policy, const struct mesh_seen *seen)
{
    double every = seen->every > 1 ? (double)seen->every : 1;
    int now;

    policy->lost = fmax(0, policy->lost + (seen->largest - seen->fresh) * every);
    now = decide(policy, seen);
    if (now < 0)
        return now;
    now = now && seen->step > 0 && seen->age > 0;
    if (now)
        policy->lost = 0;
    return now;
}

/* Copy the loads of older partitions at step w, as in struct mesh_seen. Returns their
 * number. */
static int64_t see_past(const struct mesh_loads *loads, const struct mesh_price *price,
                        int64_t w, int64_t every, double *past, double *past_price)
{
    int64_t a;

    for (a = 0; a * every <= w && a < MESH_PAST; a++) {
        int64_t c = w - a * every, pair = mesh_pair(loads, c, w);

        past[a] = loads->largest[pair];
        past_price[a] = mesh_price_moved(price, c, w, loads->moved[pair]);
    }
    return a;
}

/* Fill in the facts that a program has before step k; it partitions by the weights of
 * step w. */
static struct mesh_seen see(const struct mesh_loads *loads,
                            const struct mesh_price *price, int64_t s, int64_t k,
                            int64_t w, int64_t every)
{
    return (struct mesh_seen){.step = k,
                              .age = k - s,
                              .largest =
                                  loads->largest[mesh_pair(loads, mesh_cut(loads, s), w)],
                              .mean = loads->mean[w],
                              .fresh = loads->largest[mesh_pair(loads, w, w)],
                              .price = mesh_price_of(loads, price, s, k),
                              .remaining = loads->steps - k,
                              .every = every};
}

/* Run a policy step by step, with the weights of the step or, with a lag, of the previous
 * step. */
static int ask_live(struct mesh_policy policy, const struct mesh_loads *loads,
                    const struct mesh_price *price, unsigned char *schedule)
{
    double past[MESH_PAST], past_price[MESH_PAST];
    int64_t s = 0, every = policy.every > 1 ? policy.every : 1;
    int rc = 0;

    if (policy.decider.begin)
        policy.decider.begin(policy.decider.context);
    memset(schedule, 0, (size_t)loads->steps);
    for (int64_t k = loads->lag ? every : 0; k < loads->steps; k += every) {
        int64_t w = k - loads->lag;
        struct mesh_seen seen = see(loads, price, s, k, w, every);

        if (mesh_policy_sees_past(&policy)) {
            seen.past = past;
            seen.past_price = past_price;
            seen.past_count = see_past(loads, price, w, every, past, past_price);
        }
        rc = mesh_policy_decide(&policy, &seen);
        if (rc < 0)
            break;
        schedule[k] = (unsigned char)rc;
        if (rc)
            s = k;
    }
    mesh_policy_done(&policy);
    return rc < 0 ? rc : 0;
}

static double imbalance(const void *context, int64_t s, int64_t k)
{
    const struct mesh_loads *loads = context;

    return loads->mean[k] > 0 ? mesh_load(loads, s, k) / loads->mean[k] - 1 : 0;
}

int mesh_policy_schedule(const struct mesh_policy *policy, const struct mesh_loads *loads,
                         const struct mesh_price *price, unsigned char *schedule)
{
    switch (policy->kind) {
    case MESH_PAPER:
        mesh_paper(imbalance, loads, loads->steps, policy->threshold, policy->steps[0],
                   policy->steps[1], policy->steps[2], schedule, NULL, NULL);
        return 0;
    case MESH_LOOK:
        return mesh_look(loads, price, policy->steps[0], schedule);
    case MESH_ORACLE:
        return mesh_oracle(loads, price, schedule);
    case MESH_DECIDER:
        if (!policy->decider.decide)
            return policy->decider.schedule(policy->decider.context, loads, price,
                                            schedule);
        return ask_live(*policy, loads, price, schedule);
    default:
        return ask_live(*policy, loads, price, schedule);
    }
}
