/* SPDX-License-Identifier: BSD-3-Clause */
/* wiring.h: wiring.json of a recorded program. */
#ifndef MASTERMIND_PRELOAD_WIRING_H
#define MASTERMIND_PRELOAD_WIRING_H

#include "mastermind/preload/object.h"
#include "mastermind/writer/session/session.h"
#include "proxies/interpose.h"

/* Add a port of functions to an instance, and write the files. Instance and port are
 * added unless they exist already. Returns 0 or a negative errno with `err`. The caller
 * serialises calls.
 *
 *   object  in  file of the library or program
 *   name    in  name of the instance, from mm_preload_instance_name */
int mm_preload_wire(struct mm_session *session, const struct interpose_library *library,
                    const struct mm_object *object, const char *name, const char *port,
                    const char *port_type, struct cca_error *err);
/* Write "libz" for "libz.so.1" to `name`: names of instances must not have dots. */
void mm_preload_instance_name(const struct mm_object *object, char name[256]);

#endif
