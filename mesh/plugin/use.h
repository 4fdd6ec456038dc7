/* SPDX-License-Identifier: BSD-3-Clause */
/* use.h: a plug-in in use, in this process. Inside this room. */
#ifndef MESH_PLUGIN_USE_H
#define MESH_PLUGIN_USE_H

#include "mesh/plugin/parts.h"

struct mesh_plugin {
    char *word;
    struct mesh_plugin_host host;
    const struct mesh_source *source; /* borrowed */
    struct mesh_child *child;
    struct cca_error fault; /* the first */

    int32_t *owners;  /* [cells], of partitions */
    uint16_t *narrow; /* [cells] */

    const struct mesh_loads *loads; /* of prices; borrowed */
    double *costs;         /* [steps * steps]: of t instead of s, at s * steps + t */
    unsigned char *filled; /* [steps]: costs of this t are there */
};

/* Call `begin` of the library. 0 or the fault. */
int mesh_plugin_begin(struct mesh_plugin *plugin);

#endif
