/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.c: the framework's port for swaps, the points of a run at which they are made,
 * and the agreement of the ranks. */
#include "framework/assembly/assembly.h"
#include "framework/cohort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct cca_swapper *swapper_of(struct swap_port *self)
{
    return cca_container_of(self, struct cca_swapper, port);
}

/* --- Agreement ------------------------------------------------------------ */

/* Result of the first rank that failed. */
struct verdict {
    int status;
    char text[512];
};

/* Return the swapper's exchange port, which is made at the first use; NULL: this process
 * is alone. */
static struct exchange_port *exchange_of(struct cca_swapper *swapper,
                                         struct exchange_port **port)
{
    struct cca_cohort *cohort = swapper->framework->options.cohort;
    struct cca_port *made;

    if (!cohort || cohort->size == 1)
        return NULL;
    if (!*port) {
        made = cohort->serve(cohort, EXCHANGE_PORT_TYPE);
        if (!made)
            abort(); /* the other ranks would wait for this one for ever */
        *port = cca_container_of(made, struct exchange_port, base);
    }
    return *port;
}

/* A digest as a double without loss, so that it can be reduced. */
static double digest_value(uint64_t digest)
{
    return (double)(digest >> 12);
}

static int cancelled(struct cca_swapper *swapper, int code, struct cca_error *err)
{
    swapper->is_cancelled = 1;
    if (err)
        *err = (struct cca_error){0};
    return cca_error_set(err, code, "another rank has failed");
}

int cca_swap_agree(struct cca_swapper *swapper, uint64_t digest, int status,
                   struct cca_error *err)
{
    struct exchange_port *ranks = exchange_of(swapper, &swapper->ranks);
    const int size = ranks ? ranks->size(ranks) : 1,
              rank = ranks ? ranks->rank(ranks) : 0;
    double least[] = {status ? rank : size, digest_value(digest), -digest_value(digest)};
    struct verdict verdict = {.status = status};
    int code;

    if (!ranks)
        return status;
    code = ranks->minimum(ranks, least, 3);
    if (code)
        return cancelled(swapper, code, err);
    if (least[0] < size) {
        if (status && err)
            snprintf(verdict.text, sizeof verdict.text, "%s", err->text);
        code = ranks->broadcast(ranks, (int)least[0], &verdict, sizeof verdict);
        if (code)
            return cancelled(swapper, code, err);
        if (err)
            *err = (struct cca_error){0};
        return cca_error_set(err, verdict.status, "rank %d: %s", (int)least[0],
                             verdict.text);
    }
    return least[1] == -least[2]
               ? 0
               : cca_error_set(err, -EINVAL, "the ranks make different swaps");
}

/* --- Requests ------------------------------------------------------------- */

static const char of_script[] = "the script's command";

static int request_swap(struct cca_slot *slot, const struct cca_class_info *info,
                        const char *reason, struct cca_error *err)
{
    char *copy = reason ? strdup(reason) : NULL;

    if (reason && !copy)
        return cca_no_memory(err);
    free(slot->reason);
    slot->reason = copy;
    slot->wanted = info;
    return 0;
}

static int request(struct swap_port *self, const char *instance, const char *class_name,
                   const char *reason, struct cca_error *err)
{
    struct cca_framework *framework = swapper_of(self)->framework;
    struct cca_error own = {0}, *e = err ? err : &own;
    const struct cca_class_info *info;
    struct cca_instance *found = cca_framework_find(framework, instance, e);
    int status;

    if (!found)
        return -ENOENT;
    if (!found->slot)
        return cca_error_set(err, -EINVAL,
                             "the script has no command 'swap %s': its calls are not "
                             "counted",
                             instance);
    info = cca_repository_find(framework->repository, class_name);
    if (!info)
        return cca_repository_unknown(framework->repository, class_name, err);
    status = cca_slot_check(found->slot, info, err);
    return status ? status : request_swap(found->slot, info, reason, err);
}

/* Make a swap. Returns 1 if calls go to another instance now; 0: it failed, or the class
 * was there already. */
static int make_swap(struct cca_slot *slot, const struct cca_class_info *info,
                     const char *reason)
{
    const struct cca_instance *before = slot->current;

    return !cca_swap(slot, info, reason, NULL) && slot->current != before;
}

/* Make the swap of a request, which is forgotten; `*reason` is freed. */
static int make_requested(struct cca_slot *slot, const struct cca_class_info **info,
                          char **reason)
{
    const struct cca_class_info *to = *info;
    char *why = *reason;
    int made;

    *info = NULL;
    *reason = NULL;
    made = make_swap(slot, to, why);
    free(why);
    return made;
}

/* Make the script's swap. */
static int make_scripted(struct cca_slot *slot)
{
    const struct cca_class_info *to = slot->due;

    slot->due = NULL;
    return make_swap(slot, to, of_script);
}

/* --- The vote, from one step to the next ---------------------------------- */

/* Name of a request, for the ranks that did not make it. */
struct ballot {
    char instance[CCA_NAME_LONGEST + 1], class_name[256], reason[256];
};

/* Begin to vote about the requests for the next step. */
static int vote_begin(struct cca_swapper *swapper)
{
    struct cca_cohort *cohort = swapper->framework->options.cohort;
    uint64_t digest = 0;
    double least[3];
    int code;

    for (struct cca_slot *slot = swapper->slots; slot; slot = slot->next) {
        if (!slot->wanted)
            continue;
        slot->voted = slot->wanted;
        slot->voted_reason = slot->reason;
        slot->wanted = NULL;
        slot->reason = NULL;
        digest = cca_digest_text(digest, slot->instance->name);
        digest = cca_digest_text(digest, slot->voted->cls.name);
    }
    least[0] = digest_value(digest);
    least[1] = -least[0];
    least[2] = digest ? cohort->rank : cohort->size;
    code = cohort->minimum_begin(cohort, &swapper->vote->base, least, 3);
    swapper->is_voting = !code;
    return code;
}

/* Forget the requests about which the ranks have voted. */
static void vote_forget(struct cca_swapper *swapper)
{
    for (struct cca_slot *slot = swapper->slots; slot; slot = slot->next) {
        slot->voted = NULL;
        free(slot->voted_reason);
        slot->voted_reason = NULL;
    }
}

/* Log a request that not all ranks have made, on all ranks. */
static int refuse(struct cca_swapper *swapper, int first)
{
    struct cca_framework *framework = swapper->framework;
    struct exchange_port *ranks = exchange_of(swapper, &swapper->ranks);
    struct ballot ballot = {.instance = ""};
    const struct cca_class_info *info;
    struct cca_instance *found;
    char text[100];
    int code;

    for (struct cca_slot *slot = swapper->slots; slot; slot = slot->next)
        if (slot->voted && !*ballot.instance) {
            snprintf(ballot.instance, sizeof ballot.instance, "%s", slot->instance->name);
            snprintf(ballot.class_name, sizeof ballot.class_name, "%s",
                     slot->voted->cls.name);
            snprintf(ballot.reason, sizeof ballot.reason, "%s",
                     slot->voted_reason ? slot->voted_reason : "");
        }
    vote_forget(swapper);
    code = ranks->broadcast(ranks, first, &ballot, sizeof ballot);
    if (code)
        return code;
    found = cca_framework_find(framework, ballot.instance, NULL);
    info = cca_repository_find(framework->repository, ballot.class_name);
    snprintf(text, sizeof text, "the ranks disagree: this is the request of rank %d",
             first);
    if (found && found->slot && info)
        cca_swap_refused(found->slot, info, ballot.reason, text);
    return 0;
}

/* End the vote, and make the swaps for which all ranks are. Returns their number or a
 * negative errno. */
static int vote_end(struct cca_swapper *swapper)
{
    struct cca_cohort *cohort = swapper->framework->options.cohort;
    double least[3];
    int made = 0, code;

    if (!swapper->is_voting)
        return 0;
    swapper->is_voting = 0;
    code = cohort->minimum_end(cohort, &swapper->vote->base, least, 3);
    if (!code && least[0] != -least[1])
        code = refuse(swapper, (int)least[2]);
    for (struct cca_slot *slot = swapper->slots; slot; slot = slot->next)
        if (slot->voted && !code)
            made += make_requested(slot, &slot->voted, &slot->voted_reason);
    if (code)
        vote_forget(swapper);
    return code && code != -ESTALE ? code : made;
}

/* --- The port ------------------------------------------------------------- */

/* Make the swaps that are due at this step. */
static int make_due(struct cca_swapper *swapper)
{
    const int is_alone = !exchange_of(swapper, &swapper->vote);
    int made = is_alone ? 0 : vote_end(swapper), code = 0;

    for (struct cca_slot *slot = swapper->slots; slot && made >= 0; slot = slot->next) {
        if (slot->wanted && is_alone)
            made += make_requested(slot, &slot->wanted, &slot->reason);
        if (slot->due && slot->due_at == swapper->steps)
            made += make_scripted(slot);
    }
    if (!is_alone && made >= 0 && !swapper->is_cancelled)
        code = vote_begin(swapper);
    return made < 0 ? made : code < 0 ? code : made;
}

static int step(struct swap_port *self)
{
    struct cca_swapper *swapper = swapper_of(self);
    struct cca_framework *framework = swapper->framework;
    int made;

    swapper->steps++;
    if (!swapper->slots || cca_change_begin(framework, "swap", NULL))
        return 0;
    swapper->is_cancelled = 0;
    made = make_due(swapper);
    cca_change_end(framework);
    return swapper->is_cancelled ? -ECANCELED : made;
}

static int outcome(struct swap_port *self, size_t index,
                   const struct swap_outcome **found)
{
    const struct cca_swapper *swapper = swapper_of(self);

    if (index >= swapper->log_count)
        return -ENOENT;
    *found = &swapper->log[index]->outcome;
    return 0;
}

/* --- The command ---------------------------------------------------------- */

/* Make the slot, and the swap or the request for it. */
static int command(struct cca_framework *framework, const char *instance,
                   const char *class_name, int64_t at, struct cca_error *err)
{
    struct cca_instance *found = cca_framework_find(framework, instance, err);
    const struct cca_class_info *info =
        class_name ? cca_repository_find(framework->repository, class_name) : NULL;
    int status = found ? 0 : -ENOENT;

    if (found && class_name && !info)
        status = cca_repository_unknown(framework->repository, class_name, err);
    if (!status)
        status = cca_slot_make(found, err);
    if (!status && info)
        status = cca_slot_check(found->slot, info, err);
    if (status || !info)
        return status;
    if (framework->options.dry)
        return cca_repository_rehearse(framework->repository, info, 0, err);
    if (at >= 0) {
        found->slot->due = info;
        found->slot->due_at = framework->swapper.steps + at;
        return 0;
    }
    return cca_swap(found->slot, info, of_script, err) ? 1 : 0;
}

int cca_framework_swap(struct cca_framework *framework, const char *instance,
                       const char *class_name, int64_t at, struct cca_error *err)
{
    struct cca_error own = {0}, *e = err ? err : &own;
    int status = cca_change_begin(framework, "swap", err);

    if (status)
        return status;
    status = command(framework, instance, class_name, at, e);
    cca_change_end(framework);
    return status;
}

struct swap_port *cca_framework_swap_port(struct cca_framework *framework)
{
    return &framework->swapper.port;
}

/* --- Life ----------------------------------------------------------------- */

void cca_swapper_init(struct cca_swapper *swapper, struct cca_framework *framework)
{
    *swapper =
        (struct cca_swapper){.port = {.base = {SWAP_PORT_TYPE, sizeof(struct swap_port)},
                                      .request = request,
                                      .step = step,
                                      .outcome = outcome},
                             .framework = framework};
}

static void give_back(struct cca_swapper *swapper, struct exchange_port *port)
{
    struct cca_cohort *cohort = swapper->framework->options.cohort;

    if (port)
        cohort->unserve(cohort, &port->base);
}

void cca_swapper_done(struct cca_swapper *swapper)
{
    give_back(swapper, swapper->ranks);
    give_back(swapper, swapper->vote);
    for (size_t i = 0; i < swapper->log_count; i++) {
        free(swapper->log[i]->strings);
        free(swapper->log[i]);
    }
    free(swapper->log);
}
