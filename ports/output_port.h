/* SPDX-License-Identifier: BSD-3-Clause */
/* output_port.h: write a field of the mesh to a file or elsewhere. */
#ifndef PORTS_OUTPUT_PORT_H
#define PORTS_OUTPUT_PORT_H

#include "ports/mesh_port.h"

#define OUTPUT_PORT_TYPE "shock.OutputPort/1"

struct output_port {
    struct cca_port base;

    /* Write the state of a run at one time. Parameters of the component choose the format
     * and the file.
     *
     *   mesh    in  borrowed for the call
     *   field   in  conserved variables
     *   time_s  in  time of the state
     *   step    in  steps made so far
     *
     * Returns 0 or a negative errno with `err`. Collective. */
    int (*write)(struct output_port *self, struct mesh_port *mesh, int field,
                 double time_s, int64_t step, struct cca_error *err);
};

#endif
