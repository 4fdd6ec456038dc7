/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin.h: policies, partitioners and costs from shared objects
 * (mesh_balance_plugin.h), each in a process of its own. */
#ifndef MESH_PLUGIN_PLUGIN_H
#define MESH_PLUGIN_PLUGIN_H

#include "mesh/balance/policy.h"

struct mesh_plugin; /* opaque: one process */

enum mesh_plugin_use { MESH_PLUGIN_POLICY, MESH_PLUGIN_PARTITION, MESH_PLUGIN_COST };

/* True where a word names a shared object: "./my.so", "dir/my.so:argument". */
int mesh_plugin_is(const char *word);

/* Load the library of `word` for one use, in a process; `word` is copied, `source` (its
 * shape, not its weights) borrowed while this lives. Answers may take `seconds` each.
 * NULL with `err`: -EBADMSG the library cannot be loaded, has no such object or use, or
 * its `begin` failed; -EPROTO it died; -ETIMEDOUT; -ENOMEM, -EAGAIN. Freed by
 * mesh_plugin_close; NULL is fine. */
struct mesh_plugin *mesh_plugin_open(const char *word, enum mesh_plugin_use use,
                                     const struct mesh_source *source, int parts,
                                     double seconds, struct cca_error *err);
void mesh_plugin_close(struct mesh_plugin *plugin);

/* A policy that asks `plugin`, which is borrowed. Functions of policies and prices say
 * little where it fails: see mesh_plugin_fault. */
void mesh_plugin_policy(struct mesh_plugin *plugin, struct mesh_policy *policy);

/* A partitioner that asks `plugin`, which it closes. */
void mesh_plugin_partitioner(struct mesh_plugin *plugin,
                             struct mesh_partitioner *partitioner);

/* A price that asks `plugin`, for these loads; both are borrowed. */
void mesh_plugin_price(struct mesh_plugin *plugin, const struct mesh_loads *loads,
                       struct mesh_price *price);

/* What went wrong first; code 0: nothing. Borrowed. */
const struct cca_error *mesh_plugin_fault(const struct mesh_plugin *plugin);

#endif
