/* SPDX-License-Identifier: BSD-3-Clause */
/* host.c: the child process that loads the plug-in. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/child/child.h"
#include "mesh/plugin/parts.h"

struct host {
    const struct mesh_plugin_host *about;
    const struct mesh_balance_plugin *plugin;
    int socket;
    int64_t cells;
    float *weights;
    int32_t *owners; /* owners of the cells, [2 * cells]: old, then new */
};

static int fail(struct mesh_plugin_answer *answer, const char *text, const char *detail)
{
    answer->code = -EBADMSG;
    snprintf(answer->text, sizeof answer->text, "%s%s", text, detail);
    return 0;
}

/* Return the name of the function that the library lacks for the requested use; NULL: it
 * lacks none. */
static const char *lacks(const struct host *host)
{
    const struct mesh_balance_plugin *plugin = host->plugin;

    if (host->about->use == MESH_PLUGIN_POLICY)
        return plugin->policy ? NULL : "found no policy in it";
    if (host->about->use == MESH_PLUGIN_PARTITION)
        return plugin->partition ? NULL : "found no partition in it";
    return plugin->cost ? NULL : "found no cost in it";
}

static int load(struct host *host, struct mesh_plugin_answer *answer)
{
    void *library = dlopen(host->about->file, RTLD_NOW | RTLD_LOCAL);

    if (!library) {
        const char *why = dlerror();
        size_t length = strlen(host->about->file);

        /* drop the file's name, which the caller's message has already */
        if (strncmp(why, host->about->file, length) == 0 && why[length] == ':')
            why += length + 1 + strspn(why + length + 1, " ");
        return fail(answer, "", why);
    }
    host->plugin = dlsym(library, "mesh_balance_plugin");
    if (!host->plugin)
        return fail(answer, "found no object mesh_balance_plugin", "");
    if (!host->plugin->abi || strcmp(host->plugin->abi, MESH_BALANCE_ABI) != 0 ||
        host->plugin->size != sizeof *host->plugin)
        return fail(answer, "found another abi or size, expected ", MESH_BALANCE_ABI);
    return lacks(host) ? fail(answer, lacks(host), "") : 1;
}

/* Process the request `begin`, which comes before each trace. The first one loads the
 * library. */
static void begin(struct host *host, struct mesh_plugin_answer *answer)
{
    if (!host->plugin && !load(host, answer))
        return;
    if (host->plugin->begin &&
        host->plugin->begin(&host->about->mesh, host->about->argument))
        fail(answer, "its begin failed", "");
}

static int decide(struct host *host, int64_t count, struct mesh_plugin_answer *answer)
{
    struct mesh_balance_seen seen;
    double past[2 * MESH_PAST];
    int rc = count < 0 || count > MESH_PAST;

    if (!rc)
        rc = mesh_socket_read(host->socket, &seen, sizeof seen);
    if (!rc)
        rc = mesh_socket_read(host->socket, past, 2 * (size_t)count * sizeof *past);
    if (rc)
        return rc;
    seen.past = past;
    seen.past_price = past + count;
    answer->code = host->plugin->policy(&seen);
    if (answer->code < 0)
        fail(answer, "its policy failed", "");
    return 0;
}

static int cut(struct host *host, int64_t has_before, struct mesh_plugin_answer *answer)
{
    size_t bytes = (size_t)host->cells * sizeof *host->owners;
    int32_t *now = host->owners + host->cells;
    int rc = mesh_socket_read(host->socket, host->weights,
                              (size_t)host->cells * sizeof *host->weights);

    if (!rc && has_before)
        rc = mesh_socket_read(host->socket, host->owners, bytes);
    if (rc)
        return rc;
    memset(now, 0xff, bytes); /* -1 in each cell: a cell that the plug-in does not set is
                               * detected */
    if (host->plugin->partition(&host->about->mesh, host->weights,
                                has_before ? host->owners : NULL, now))
        fail(answer, "its partition failed", "");
    rc = mesh_socket_write(host->socket, answer, sizeof *answer);
    if (!rc && !answer->code)
        rc = mesh_socket_write(host->socket, now, bytes);
    return rc;
}

static int cost(struct host *host, int64_t count, struct mesh_plugin_answer *answer)
{
    struct mesh_balance_move move;
    int rc = 0;
    double *costs =
        count > 0 && count <= INT32_MAX ? malloc((size_t)count * sizeof *costs) : NULL;

    for (int64_t i = 0; costs && !rc && i < count; i++) {
        rc = mesh_socket_read(host->socket, &move, sizeof move);
        if (!rc)
            costs[i] = host->plugin->cost(&move);
    }
    if (!rc && costs)
        rc = mesh_socket_write(host->socket, answer, sizeof *answer);
    if (!rc && costs)
        rc = mesh_socket_write(host->socket, costs, (size_t)count * sizeof *costs);
    free(costs);
    return costs ? rc : 1;
}

/* Answer one request. Returns 0 to go on; 1: the parent closed the socket; a negative
 * number: an error. */
static int serve_one(struct host *host)
{
    struct mesh_plugin_question question;
    struct mesh_plugin_answer answer = {MESH_PLUGIN_MAGIC, 0, {0}};
    int rc = mesh_socket_read(host->socket, &question, sizeof question);

    if (rc)
        return rc;
    switch (question.kind) {
    case MESH_ASK_CUT:
        return cut(host, question.count, &answer);
    case MESH_ASK_COST:
        return cost(host, question.count, &answer);
    case MESH_ASK_DECIDE:
        rc = decide(host, question.count, &answer);
        break;
    default:
        begin(host, &answer);
        break;
    }
    return rc ? rc : mesh_socket_write(host->socket, &answer, sizeof answer);
}

int mesh_plugin_serve(void *context, int socket)
{
    struct host host = {.about = context, .socket = socket};
    const int64_t *n = host.about->mesh.n;
    int rc;

    host.cells = n[0] * n[1] * n[2];
    if (host.about->use == MESH_PLUGIN_PARTITION) {
        host.weights = malloc((size_t)host.cells * sizeof *host.weights);
        host.owners = malloc(2 * (size_t)host.cells * sizeof *host.owners);
        if (!host.weights || !host.owners)
            return 5;
    }
    do
        rc = serve_one(&host);
    while (!rc);
    free(host.weights);
    free(host.owners);
    return rc < 0 ? 5 : 0;
}
