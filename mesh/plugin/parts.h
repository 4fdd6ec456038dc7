/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: messages between both sides of a plug-in's socket, for the files of this
 * folder.
 *
 *   parent: request and its data                  process: answer and its data
 *   begin    -                                    -
 *   decide   struct mesh_balance_seen, past[],    code 0 or 1
 *            past_price[]
 *   cut      weights, `before` if given           owners (int32_t)
 *   cost     moves[count]                         costs (double) [count] */
#ifndef MESH_PLUGIN_PARTS_H
#define MESH_PLUGIN_PARTS_H

#include "mesh/plugin/mesh_balance_plugin.h"
#include "mesh/plugin/plugin.h"

#define MESH_PLUGIN_MAGIC 0x31474c50u /* "PLG1" */

enum mesh_plugin_kind { MESH_ASK_BEGIN, MESH_ASK_DECIDE, MESH_ASK_CUT, MESH_ASK_COST };

struct mesh_plugin_question {
    uint32_t magic;
    int32_t kind;
    int64_t count; /* decide: number of past values; cut: 1 if `before` follows; cost:
                    * number of moves */
};

struct mesh_plugin_answer {
    uint32_t magic;
    /* result of the request: decide: 0 or 1; others: 0; negative: a failure */
    int32_t code;
    char text[248]; /* message of a failure; ends in 0 */
};

/* Arguments of the child process. */
struct mesh_plugin_host {
    char *file, *argument; /* the parts of the user's "FILE:ARGUMENT" */
    enum mesh_plugin_use use;
    struct mesh_balance_mesh mesh;
};

/* Serve a socket until it is closed; the context is a struct mesh_plugin_host. Returns
 * the exit code. */
int mesh_plugin_serve(void *context, int socket);

/* Send a request and `size` bytes, and receive the answer. Returns its code, or an error,
 * which `plugin` keeps. */
int mesh_plugin_ask(struct mesh_plugin *plugin, enum mesh_plugin_kind kind, int64_t count,
                    const void *bytes, size_t size);
int mesh_plugin_send(struct mesh_plugin *plugin, const void *bytes, size_t size);
int mesh_plugin_answer(struct mesh_plugin *plugin);
int mesh_plugin_receive(struct mesh_plugin *plugin, void *bytes, size_t size);
/* Report an invalid answer: keep and return the error. */
int mesh_plugin_refuse(struct mesh_plugin *plugin, const char *what);

#endif
