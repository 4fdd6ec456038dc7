/* SPDX-License-Identifier: BSD-3-Clause */
/* use.h: a plug-in in use, in the parent process. For the files of this folder. */
#ifndef MESH_PLUGIN_USE_H
#define MESH_PLUGIN_USE_H

#include "mesh/plugin/parts.h"

struct mesh_plugin {
    char *word;
    struct mesh_plugin_host host;
    const struct mesh_source *source; /* mesh and weights for the plug-in, borrowed */
    struct mesh_child *child;
    struct cca_error fault; /* first error of the plug-in */

    int32_t *owners;  /* [cells] owners of a partition, in the plug-in's type */
    uint16_t *narrow; /* [cells] owners of a partition, in 16 bits */

    const struct mesh_loads *loads; /* loads for which prices are requested, borrowed */
    double *costs;         /* [steps * steps]: cost of replacing the partition of step s
                            * before step t, at s * steps + t */
    unsigned char *filled; /* [steps] true if the costs of all repartitions before step t
                              are in `costs` */
};

/* Call `begin` of the plug-in's library. Returns 0 or the error. */
int mesh_plugin_begin(struct mesh_plugin *plugin);

#endif
