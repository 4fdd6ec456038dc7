/* SPDX-License-Identifier: BSD-3-Clause */
/* methods.c: names of the packing methods, and the flags that they may have. */
#include "mesh/pack/form.h"
#include "mesh/pack/parts.h"

static const char *const names[MESH_PACK_METHODS] = {
    [MESH_PACK_AUTO] = "auto",         [MESH_PACK_RAW] = "raw",
    [MESH_PACK_CONSTANT] = "constant", [MESH_PACK_LEAST] = "least",
    [MESH_PACK_RMS] = "rms",           [MESH_PACK_SWING] = "swing",
    [MESH_PACK_SLIDE] = "slide",       [MESH_PACK_STEPS] = "steps",
    [MESH_PACK_CHANGES] = "changes",   [MESH_PACK_ZFP] = "zfp",
};

int mesh_pack_method_of(const unsigned char *bytes)
{
    return bytes[0];
}

const char *mesh_pack_method_name(int method)
{
    int base = mesh_method_base(method);

    return base >= 0 && base < MESH_PACK_METHODS ? names[base] : "unknown";
}

int mesh_pack_method_here(int method)
{
    return mesh_method_base(method) != MESH_PACK_ZFP || mesh_zfp_here();
}

int mesh_method_holds(int method)
{
    int base = mesh_method_base(method);

    switch (base) {
    case MESH_PACK_RAW:
        return method == base;
    case MESH_PACK_CHANGES:
        return method == (base | MESH_PACK_TIME);
    case MESH_PACK_CONSTANT:
    case MESH_PACK_STEPS:
    case MESH_PACK_ZFP:
        return method == (base | (method & MESH_PACK_TIME));
    default:
        return base > MESH_PACK_AUTO && base < MESH_PACK_METHODS && method < 0x100;
    }
}
