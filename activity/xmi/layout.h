/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.h: positions of elements in a diagram. The file NAME.layout beside NAME.act has
 * a line "ID X Y WIDTH HEIGHT" for each element id. */
#ifndef ACTIVITY_XMI_LAYOUT_H
#define ACTIVITY_XMI_LAYOUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct xmi_spot_place {
    int64_t id;
    double x, y, width, height;
};

/* Read the layout beside a model's file. Reading stops at the first line in another
 * format. New, freed by the caller; NULL with *count 0: there is none. */
struct xmi_spot_place *xmi_layout_read(const char *file, size_t *count);
/* Write the UMLDI shape of element `id`, if it has a place. `on`: the element's id in the
 * UML file. */
void xmi_layout_put(FILE *out, const struct xmi_spot_place *places, size_t count,
                    int64_t id, const char *on);

#endif
