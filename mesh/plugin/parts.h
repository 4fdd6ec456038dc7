/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: what both sides of a plug-in's socket share. Inside this room.
 *
 *   parent: question, and what belongs to it      process: answer, and what belongs to it
 *   begin    -                                    -
 *   decide   struct mesh_balance_seen, past[],    code 0 or 1
 *            past_price[]
 *   cut      weights, `before` where told         owners (int32_t)
 *   cost     moves[count]                         costs (double) [count]
 */
#ifndef MESH_PLUGIN_PARTS_H
#define MESH_PLUGIN_PARTS_H

#include "mesh/plugin/mesh_balance_plugin.h"
#include "mesh/plugin/plugin.h"

#define MESH_PLUGIN_MAGIC 0x31474c50u /* "PLG1" */

enum mesh_plugin_kind { MESH_ASK_BEGIN, MESH_ASK_DECIDE, MESH_ASK_CUT, MESH_ASK_COST };

struct mesh_plugin_question {
    uint32_t magic;
    int32_t kind;
    int64_t count; /* decide: past values; cut: 1 where `before` follows; cost: moves */
};

struct mesh_plugin_answer {
    uint32_t magic;
    int32_t code;   /* decide: 0 or 1; else 0, or negative: a failure */
    char text[248]; /* of a failure; ends in 0 */
};

/* What the process knows from the start. */
struct mesh_plugin_host {
    char *file, *argument; /* of the word */
    enum mesh_plugin_use use;
    struct mesh_balance_mesh mesh;
};

/* Serve a socket until its end; the context is a struct mesh_plugin_host. The exit code.
 */
int mesh_plugin_serve(void *context, int socket);

/* Ask: send the question and `size` bytes, receive an answer. Its code, or the fault,
 * which `plugin` keeps. */
int mesh_plugin_ask(struct mesh_plugin *plugin, enum mesh_plugin_kind kind, int64_t count,
                    const void *bytes, size_t size);
int mesh_plugin_send(struct mesh_plugin *plugin, const void *bytes, size_t size);
int mesh_plugin_answer(struct mesh_plugin *plugin);
int mesh_plugin_receive(struct mesh_plugin *plugin, void *bytes, size_t size);
/* Its answer makes no sense: keep and return the fault. */
int mesh_plugin_refuse(struct mesh_plugin *plugin, const char *what);

#endif
