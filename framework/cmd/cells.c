/* SPDX-License-Identifier: BSD-3-Clause */
/* cells.c: the option --cells: set the environment for mesh profiles.
 *
 * The library through which components report cell costs reads the environment, and the
 * agents that collect these costs belong to the node, not to a component. */
#include <errno.h>

#include "framework/cmd/cmd.h"
#include "mesh/agent/start.h"

int ccafe_cells_pass(const struct ccafe_options *options)
{
    const char *cells = options->recording[RECORDING_CELLS];
    struct cca_error err = {0};
    int rc;

    if (!cells)
        return -1;
    rc = mesh_agent_prepare(cells, ccafe_ranks_launched() > 0, &err);
    if (rc == -EINVAL)
        return ccafe_complain_once(err.text);
    return rc ? ccafe_complain(CCA_EXIT_IO_OR_MEMORY, "%s", err.text) : -1;
}
