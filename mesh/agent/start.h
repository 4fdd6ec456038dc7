/* SPDX-License-Identifier: BSD-3-Clause */
/* start.h: agents for a run that records mesh profiles. */
#ifndef MESH_AGENT_START_H
#define MESH_AGENT_START_H

#include "ports/cca_error.h"

/* The program mesh-agent, and the session, for processes of a run. */
#define MESH_AGENT_VARIABLE "MM_MESH_AGENT"

/* Set the environment of a process, and of what it starts, for the profile `cells` (the
 * value of --cells). The program mesh-agent is that of the installation that this program
 * is of. The session is one for all processes that this one's launcher has started, where
 * `ranks` is not 0, else this process's own. 0; -EINVAL `cells` is not understood, with
 * found and expected; -ENOENT no /proc; -ENOMEM. Before there are threads. */
int mesh_agent_prepare(const char *cells, int ranks, struct cca_error *err);

/* Start the local agent of this node for the experiment that the folder `rank_path`,
 * absolute, is in; nothing happens where no profile was prepared. Each process of a run
 * may call it: there will be one. 0, or a negative errno with `err`: profiles stay in no
 * file. */
int mesh_agent_start(const char *rank_path, struct cca_error *err);

#endif
