/* SPDX-License-Identifier: BSD-3-Clause */
/* keep.h: EXPERIMENT/mesh/NAME.tasks, what of LBDatafiles the cells of a profile do
 * not hold, as lines of JSON. Each line is an object that begins with its check
 * (mastermind/format/json_check.h):
 *
 *     {"check":"..","format":1,"schema":"mastermind/mesh-tasks/1","stem":"data",
 *      "ranks":4,"elements":[{"type":"object","id":7,..},..]}
 *     {"check":"..","rank":0,"head":{..},"phases":[{"id":0,
 *      "tasks":[[ELEMENT,TIME,[[SUBPHASE,TIME],..],{..}],..],"more":{..}},..]}
 *
 * one line for each rank. ELEMENT counts in the first line's `elements`; the list of
 * subphases and the object of other members are left out where they are empty. */
#ifndef MESH_CONVERT_LBAF_KEEP_H
#define MESH_CONVERT_LBAF_KEEP_H

#include "mesh/convert/folder.h"
#include "mesh/convert/lbaf/lbaf.h"

/* Write FOLDER/mesh/NAME.tasks, with NAME in place of a stem that is no printable ASCII;
 * the folder mesh is there. 0, -ENOMEM or an I/O error. */
int mesh_lbaf_keep(const struct mesh_lbaf *lbaf, const char *stem, const char *folder,
                   const char *name, struct cca_error *err);

/* Write STEM.RANK.json of all ranks into a folder, from a file that mesh_lbaf_keep wrote.
 * 0; -ENOENT without `err`: there is no such file; -EBADMSG it is damaged, with its line;
 * -ENOMEM or an I/O error. */
int mesh_lbaf_restore(const char *experiment, const char *name,
                      const struct mesh_folder *folder, struct cca_error *err);

#endif
