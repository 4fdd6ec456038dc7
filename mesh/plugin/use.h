/* SPDX-License-Identifier: BSD-3-Clause */
/* use.h: a plug-in in use, in the parent process. For the files of this folder. */
#ifndef MESH_PLUGIN_USE_H
#define MESH_PLUGIN_USE_H

#include "mesh/plugin/parts.h"

struct mesh_plugin {
    char *word;
    struct mesh_plugin_host host;
    const struct mesh_source *source; /* borrowed */
    struct mesh_child *child;
    struct cca_error fault; /* the first one */

    int32_t *owners;  /* [cells], of partitions */
    uint16_t *narrow; /* [cells] */

    const struct mesh_loads *loads; /* for prices; borrowed */
    double *costs;         /* [steps * steps]: cost of replacing the partition of step s
                            * before step t, at s * steps + t */
    unsigned char *filled; /* [steps]: whether the costs of this t are there */
};

/* Call `begin` of the library. 0 or the error. */
int mesh_plugin_begin(struct mesh_plugin *plugin);

#endif
