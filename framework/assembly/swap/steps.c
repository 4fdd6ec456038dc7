/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.c: the framework's port for swaps, the points of a run at which they are made,
 * and the agreement of the ranks. */
#include "framework/assembly/assembly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct cca_swapper *swapper_of(struct swap_port *self)
{
    return cca_container_of(self, struct cca_swapper, port);
}

/* --- Agreement ------------------------------------------------------------ */

int cca_swap_agree(struct cca_swapper *swapper, uint64_t digest, int status,
                   struct cca_error *err)
{
    (void)swapper;
    (void)digest;
    (void)err;
    return status;
}

/* --- Requests ------------------------------------------------------------- */

static int request_swap(struct cca_slot *slot, const struct cca_class_info *info,
                        int64_t at, const char *reason, struct cca_error *err)
{
    char *copy = reason ? strdup(reason) : NULL;

    if (reason && !copy)
        return cca_no_memory(err);
    free(slot->reason);
    slot->reason = copy;
    slot->wanted = info;
    slot->at = at;
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
    return status ? status : request_swap(found->slot, info, -1, reason, err);
}

/* Make the swap that is due. Returns 1 if it was made. */
static int make_due(struct cca_slot *slot)
{
    const struct cca_class_info *info = slot->wanted;
    char *reason = slot->reason;
    int status;

    slot->wanted = NULL;
    slot->reason = NULL;
    status = cca_swap(slot, info, reason, NULL);
    free(reason);
    return status == 0;
}

static int step(struct swap_port *self)
{
    struct cca_swapper *swapper = swapper_of(self);
    struct cca_framework *framework = swapper->framework;
    int made = 0;

    swapper->steps++;
    if (!swapper->slots || cca_change_begin(framework, "swap", NULL))
        return 0;
    for (struct cca_slot *slot = swapper->slots; slot; slot = slot->next)
        if (slot->wanted && (slot->at < 0 || slot->at == swapper->steps))
            made += make_due(slot);
    cca_change_end(framework);
    return made;
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
    if (at >= 0)
        return request_swap(found->slot, info, framework->swapper.steps + at,
                            "the script's command", err);
    return cca_swap(found->slot, info, "the script's command", err) ? 1 : 0;
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

void cca_swapper_done(struct cca_swapper *swapper)
{
    for (size_t i = 0; i < swapper->log_count; i++) {
        free(swapper->log[i]->strings);
        free(swapper->log[i]);
    }
    free(swapper->log);
}
