/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.h: where elements are in a diagram: NAME.layout beside NAME.act, a line
 * "ID X Y WIDTH HEIGHT" each, by the elements' ids. */
#ifndef ACTIVITY_XMI_LAYOUT_H
#define ACTIVITY_XMI_LAYOUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct xmi_spot_place {
    int64_t id;
    double x, y, width, height;
};

/* The layout beside a model's file. New, freed by the caller; NULL with *count 0: there
 * is none. A line that is none of these ends it. */
struct xmi_spot_place *xmi_layout_read(const char *file, size_t *count);
/* The shape of an element in UMLDI, where it has a place. `on`: its id in the file. */
void xmi_layout_put(FILE *out, const struct xmi_spot_place *places, size_t count,
                    int64_t id, const char *on);

#endif
