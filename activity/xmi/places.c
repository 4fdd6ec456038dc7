/* SPDX-License-Identifier: BSD-3-Clause */
/* places.c: positions of nodes in diagrams of UMLDI, MagicDraw and Enterprise Architect.
 * The three formats differ in names only: an element with x and y belongs to the node
 * that the nearest enclosing element refers to. */
#include <stdlib.h>
#include <string.h>

#include "activity/xmi/read.h"

enum { DEEPEST = 60 };

static const char *behind_hash(const char *text)
{
    const char *hash = text ? strrchr(text, '#') : NULL;

    return hash ? hash + 1 : text;
}

/* The node that a diagram element shows, or NULL. */
static const char *subject_of(struct xmi_reading *r, const xmlNode *n)
{
    static const char *const names[] = {"modelElement", "subject", "elementID",
                                        "umlModelElement"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *found = xmi_attribute(r, n, names[i]);

        for (const xmlNode *c = n->children; c && !found; c = c->next) {
            if (!xmi_is(c, names[i]))
                continue;
            found = xmi_attribute(r, c, "href");
            found = found ? found : xmi_attribute_of_xmi(r, c, "idref");
        }
        if (found)
            return behind_hash(found);
    }
    return NULL;
}

struct xmi_node *xmi_find_node(struct xmi_graph *g, const char *id)
{
    for (struct xmi_node *n = g->nodes; n; n = n->next) {
        struct xmi_node *found;

        if (strcmp(n->id, id) == 0)
            return n;
        found = n->inner ? xmi_find_node(n->inner, id) : NULL;
        if (!found && n->setup)
            found = xmi_find_node(n->setup, id);
        if (found)
            return found;
    }
    return NULL;
}

static double number_of(struct xmi_reading *r, const xmlNode *n, const char *name)
{
    const char *text = xmi_attribute(r, n, name);
    double number = text ? strtod(text, NULL) : 0;

    return number > -1e9 && number < 1e9 ? number : 0;
}

/* Position from Enterprise Architect's "Left=10;Top=20;Right=110;Bottom=60;". */
static void place_by_geometry(struct xmi_node *node, const char *text)
{
    int left, top, right, bottom;

    if (!text || sscanf(text, "Left=%9d;Top=%9d;Right=%9d;Bottom=%9d", &left, &top,
                        &right, &bottom) != 4)
        return;
    node->x = left;
    node->y = top;
    node->width = right - left;
    node->height = bottom - top;
}

static void place(struct xmi_reading *r, const xmlNode *n, const char *subject)
{
    struct xmi_node *node = NULL;

    for (struct xmi_graph *g = r->document->graphs; g && !node; g = g->next)
        node = xmi_find_node(g, subject);
    if (!node || node->has_place)
        return;
    node->has_place = 1;
    node->x = number_of(r, n, "x");
    node->y = number_of(r, n, "y");
    node->width = number_of(r, n, "width");
    node->height = number_of(r, n, "height");
    place_by_geometry(node, xmi_attribute(r, n, "geometry"));
}

static void look(struct xmi_reading *r, const xmlNode *n, const char *subject, int depth)
{
    for (const xmlNode *c = n->children; c && depth < DEEPEST; c = c->next) {
        const char *own;

        if (c->type != XML_ELEMENT_NODE)
            continue;
        own = subject_of(r, c);
        if ((own || subject) &&
            (xmi_attribute(r, c, "x") || xmi_attribute(r, c, "y") ||
             (xmi_attribute(r, c, "geometry") && xmi_attribute(r, c, "subject"))))
            place(r, c, own ? own : subject);
        look(r, c, own ? own : subject, depth + 1);
    }
}

int xmi_read_places(struct xmi_reading *r, xmlNode *root)
{
    look(r, root, NULL, 0);
    return r->err->code;
}
