/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin.h: policies, partitioners and costs from shared objects (mesh_balance_plugin.h),
 * each in a child process. */
#ifndef MESH_PLUGIN_PLUGIN_H
#define MESH_PLUGIN_PLUGIN_H

#include "mesh/balance/policy.h"

struct mesh_plugin; /* a plug-in in its own process, opaque */

enum mesh_plugin_use { MESH_PLUGIN_POLICY, MESH_PLUGIN_PARTITION, MESH_PLUGIN_COST };

/* Whether a word names a shared object: "./my.so", "dir/my.so:argument". */
int mesh_plugin_is(const char *word);

/* Load the library of `word` for one use, in a child process. `word` is copied; `source`
 * (its shape is used, not its weights) is borrowed until mesh_plugin_close. Each answer
 * may take `seconds`. Returns NULL with `err`: -EBADMSG: the library cannot be loaded,
 * lacks the object or the function for the use, or its `begin` failed; -EPROTO: the
 * process died; -ETIMEDOUT; -ENOMEM, -EAGAIN. Freed by mesh_plugin_close; NULL is fine.
 */
struct mesh_plugin *mesh_plugin_open(const char *word, enum mesh_plugin_use use,
                                     const struct mesh_source *source, int parts,
                                     double seconds, struct cca_error *err);
void mesh_plugin_close(struct mesh_plugin *plugin);

/* Make a policy that calls `plugin`, which is borrowed. The functions of policies and
 * prices cannot return a message: see mesh_plugin_fault. */
void mesh_plugin_policy(struct mesh_plugin *plugin, struct mesh_policy *policy);

/* Make a partitioner that calls `plugin`, and closes it when it is closed. */
void mesh_plugin_partitioner(struct mesh_plugin *plugin,
                             struct mesh_partitioner *partitioner);

/* Make a price that calls `plugin`, for `loads`; both are borrowed. */
void mesh_plugin_price(struct mesh_plugin *plugin, const struct mesh_loads *loads,
                       struct mesh_price *price);

/* Return the first error of a plug-in, borrowed; its code is 0 if there was none. */
const struct cca_error *mesh_plugin_fault(const struct mesh_plugin *plugin);

#endif
