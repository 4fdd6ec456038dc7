/* SPDX-License-Identifier: BSD-3-Clause */
/* regions.c: rows of region, made when something came of them. */
#include "properties/load/parts.h"
#include "properties/load/put.h"

int mm_load_region(struct mm_load *load, const char *kind, const char *name,
                   const struct mm_method_info *m, int64_t parent, int64_t *region)
{
    int result = mm_put_once(
        load->store, NULL, load->err,
        "INSERT INTO region (version, kind, name, instance, port, method, class, parent)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        "ittttttI", load->version, kind, name, m ? m->instance : NULL, m ? m->port : NULL,
        m ? m->method : NULL, m ? m->class_name : NULL, parent);

    return result ? result
                  : mm_put_once(load->store, region, load->err,
                                "SELECT id FROM region WHERE version = ? AND kind = ? AND"
                                " name = ?",
                                "itt", load->version, kind, name);
}

int mm_load_method(struct mm_load *load, const struct mm_method_info *method,
                   int64_t *region)
{
    int result = 0;

    if (!load->methods[method->index])
        result = mm_load_region(load, "method", method->name, method, 0,
                                &load->methods[method->index]);
    *region = load->methods[method->index];
    return result;
}
