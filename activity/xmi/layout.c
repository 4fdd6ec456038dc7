/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.c: Layouts of diagrams are read, and written as UMLDI. */
#include "activity/xmi/parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"

static int read_place(FILE *in, struct xmi_spot_place *place)
{
    char line[200];

    return fgets(line, sizeof line, in) &&
           sscanf(line, "%" SCNd64 " %lf %lf %lf %lf", &place->id, &place->x, &place->y,
                  &place->width, &place->height) == 5;
}

struct xmi_spot_place *xmi_layout_read(const char *file, size_t *count)
{
    const char *dot = strrchr(file, '.');
    size_t length = dot && strcmp(dot, ".act") == 0 ? (size_t)(dot - file) : 0;
    char *path = length ? malloc(length + sizeof ".layout") : NULL;
    struct xmi_spot_place *places = NULL, *at, one;
    FILE *in;

    *count = 0;
    if (!path)
        return NULL;
    memcpy(path, file, length);
    strcpy(path + length, ".layout");
    in = fopen(path, "re");
    while (in && read_place(in, &one) && (at = cca_array_add(&places, count, sizeof *at)))
        *at = one;
    if (in)
        fclose(in);
    free(path);
    return places;
}

void xmi_layout_put(FILE *out, const struct xmi_spot_place *places, size_t count,
                    int64_t id, const char *on)
{
    for (size_t i = 0; i < count && id >= 0; i++)
        if (places[i].id == id) {
            fprintf(out,
                    "    <ownedElement xmi:type=\"umldi:UMLShape\" xmi:id=\"shape_%s\" "
                    "modelElement=\"%s\">\n"
                    "      <bounds x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>\n"
                    "    </ownedElement>\n",
                    on, on, places[i].x, places[i].y, places[i].width, places[i].height);
            return;
        }
}
