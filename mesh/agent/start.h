/* SPDX-License-Identifier: BSD-3-Clause */
/* start.h: start agents for a run that records mesh profiles. */
#ifndef MESH_AGENT_START_H
#define MESH_AGENT_START_H

#include "ports/cca_error.h"

/* Environment variables for processes of a run: path of mesh-agent; name of the session.
 */
#define MESH_AGENT_VARIABLE "MM_MESH_AGENT"

/* Set the environment of this process and of its children for the profile `cells` (the
 * value of --cells). The program mesh-agent of this program's installation is used. With
 * `ranks` all processes that this process's launcher has started have one session,
 * otherwise this process has a session of its own. Returns 0; -EINVAL: a wrong `cells`,
 * with found and expected; -ENOENT: no /proc; -ENOMEM. Call it before there are threads.
 */
int mesh_agent_prepare(const char *cells, int ranks, struct cca_error *err);

/* Start the local agent of this node for the experiment that contains the folder
 * `rank_path` (absolute); does nothing if no profile was prepared. Each process of a run
 * may call it: one agent remains. Returns 0, or a negative errno with `err`: profiles
 * will not be written. */
int mesh_agent_start(const char *rank_path, struct cca_error *err);

#endif
