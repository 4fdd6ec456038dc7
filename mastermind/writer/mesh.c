/* SPDX-License-Identifier: BSD-3-Clause */
/* mesh.c: between the recorder and the agents that keep mesh profiles. */
#include "mastermind/writer/mesh.h"

#include <stdlib.h>
#include <string.h>

#include "mesh/agent/start.h"

int mm_mesh_keep(const char *rank_path, struct cca_error *err)
{
    char *path = strdup(rank_path), *slash = path ? strrchr(path, '/') : NULL;
    int rc;

    if (!path)
        return cca_no_memory(err);
    if (slash)
        *slash = '\0';
    rc = mesh_agent_start(path, err);
    free(path);
    return rc;
}
