/* SPDX-License-Identifier: BSD-3-Clause */
/* shadow.c: instances of further classes behind the proxy of a provides port (the slot);
 * the proxy calls them on copies of the arguments at a sample of the calls.
 *
 * A second instance of the slot's own class is among them: the difference of its cost and
 * results from the slot is noise. */
#include "framework/assembly/assembly.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"
#include "ports/shadow_port.h"

/* --- The command ---------------------------------------------------------- */

/* Read "1%" or "0.01". */
static int read_rate(const char *text, double *rate, struct cca_error *err)
{
    char *end;

    *rate = strtod(text, &end);
    if (end != text && strcmp(end, "%") == 0)
        *rate /= 100;
    else if (*end)
        *rate = -1;
    return *rate > 0 && *rate <= 1
               ? 0
               : cca_error_set(err, -EINVAL,
                               "found '%s', expected a rate of shadow calls, such as 1%%",
                               text);
}

/* Make an instance of the slot's own class, and of each class in `classes`. */
static int make_rivals(struct cca_dispatch *shadow, struct cca_socket *slot,
                       const char *classes, struct cca_error *err)
{
    int status = cca_dispatch_rival(shadow, slot, slot->owner->cls->name, err);

    while (!status && *classes) {
        const size_t length = strcspn(classes, ",");
        char *name = strndup(classes, length);

        if (!name)
            return cca_no_memory(err);
        if (strcmp(name, slot->owner->cls->name) != 0)
            status = cca_dispatch_rival(shadow, slot, name, err);
        free(name);
        classes += length + (classes[length] == ',');
    }
    return status;
}

static int start(struct cca_dispatch *shadow, struct cca_socket *slot, double rate,
                 struct cca_error *err)
{
    struct cca_socket *port = cca_socket_in(slot->front->owner, 0, SHADOW_PORT_NAME);
    struct dispatch_target *targets;
    struct shadow_port *proxy;
    int status;

    if (!port || strcmp(port->type, SHADOW_PORT_TYPE) != 0)
        return cca_error_set(err, -ENOTSUP,
                             "%s cannot be shadowed: the interposer '%s' of class '%s' "
                             "makes no shadow calls",
                             slot->type, slot->front->owner->name,
                             slot->front->owner->cls->name);
    if (slot->owner->framework->options.dry)
        return 0;
    targets = cca_dispatch_targets(shadow);
    if (!targets)
        return cca_no_memory(err);
    proxy = cca_container_of(port->port, struct shadow_port, base);
    status = proxy->set(proxy, targets + 1, shadow->count - 1, rate,
                        cca_hash_text(CCA_HASH_START, slot->owner->name), err);
    free(targets);
    return status;
}

static int begin(struct cca_dispatch *shadow, struct cca_socket *slot,
                 const char *classes, double rate, struct cca_error *err)
{
    size_t most = 3;
    int status = cca_slot_at_home(slot->owner, err);

    if (!status)
        status = cca_dispatch_check(slot, err);
    for (const char *at = classes; *at; at++)
        most += *at == ',';
    shadow->ends = calloc(most, sizeof *shadow->ends);
    if (!status && !shadow->ends)
        status = cca_no_memory(err);
    if (!status && !slot->front)
        status = cca_interpose_bare(slot, err);
    if (!status && slot->front->owner->shadow)
        status = cca_error_set(err, -EEXIST, "'%s' of '%s' has shadow calls already",
                               slot->name, slot->owner->name);
    if (status)
        return status;
    shadow->ends[shadow->count++] = slot;
    status = make_rivals(shadow, slot, classes, err);
    if (!status)
        status = start(shadow, slot, rate, err);
    if (!status) {
        slot->front->owner->shadow = shadow;
        slot->owner->framework->dispatching++;
        slot->owner->framework->unsettled = 1;
    }
    return status;
}

int cca_shadow(struct cca_socket *slot, const char *classes, const char *rate,
               struct cca_error *err)
{
    struct cca_error own = {0}, *e = err ? err : &own;
    struct cca_framework *framework = slot->owner->framework;
    const size_t before = framework->instances.count;
    struct cca_dispatch *shadow;
    double fraction;
    int status = read_rate(rate, &fraction, e);

    if (!*slot->type) /* the port's type is unknown in a dry run */
        return status;
    if (!status)
        status = cca_socket_idle(slot, e);
    if (status)
        return status;
    shadow = calloc(1, sizeof *shadow);
    if (!shadow)
        return cca_no_memory(e);
    status = begin(shadow, slot, classes, fraction, e);
    if (status) {
        cca_instance_roll_back(framework, before);
        cca_dispatch_free(shadow);
    }
    return status;
}

/* --- The option ----------------------------------------------------------- */

/* Find the provides port that calls of the slot INSTANCE go to, if it has only one. */
static struct cca_socket *only_port(struct cca_instance *owner, struct cca_error *err)
{
    struct cca_socket *found = NULL;

    for (size_t i = 0; i < owner->socket_count; i++) {
        struct cca_socket *socket = owner->sockets[i];

        if (socket->uses ||
            !strncmp(socket->type, CCA_SERVICE_PREFIX, strlen(CCA_SERVICE_PREFIX)))
            continue;
        if (found) {
            cca_error_set(err, -EINVAL, "'%s' provides '%s' and '%s'; give INSTANCE.PORT",
                          owner->name, found->name, socket->name);
            return NULL;
        }
        found = socket;
    }
    if (!found)
        cca_error_set(err, -ENOENT, "'%s' provides no port", owner->name);
    return found;
}

/* Apply "INSTANCE[.PORT]=CLASS[,CLASS...]:RATE". The text is changed. */
static int apply(struct cca_framework *framework, char *text, struct cca_error *err)
{
    char *classes = strchr(text, '='), *rate = strrchr(text, ':'), *port;
    struct cca_instance *owner;
    struct cca_socket *slot;

    if (!classes || !rate || rate < classes + 2)
        return cca_error_set(err, -EINVAL, "expected SLOT=CLASS[,CLASS...]:RATE%%");
    *classes++ = *rate++ = '\0';
    port = strchr(text, '.');
    if (port)
        *port++ = '\0';
    owner = cca_framework_find(framework, text, err);
    if (!owner)
        return err->code;
    slot = port ? cca_socket_get(owner, 0, port, err) : only_port(owner, err);
    return slot ? cca_shadow(slot, classes, rate, err) : err->code;
}

int cca_shadow_options(struct cca_framework *framework, struct cca_error *err)
{
    int status = 0;

    for (int i = 0;
         i < framework->options.shadow_count && !framework->shadowed && !status; i++) {
        const char *option = framework->options.shadows[i];
        struct cca_error own = {0};
        char *text = strdup(option);

        status = text ? apply(framework, text, &own) : cca_no_memory(&own);
        free(text);
        if (status)
            cca_error_set(err, status, "--shadow %s: %s", option, own.text);
    }
    framework->shadowed = !status;
    cca_change_end(framework);
    return status;
}
