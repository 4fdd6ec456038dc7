#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Without zfp all else packs, and a block that zfp packed is refused by its name.
. "$(dirname "$0")/../lib/lib.sh"

cat >without.c <<'EOF'
#include <stdio.h>
#include "mesh/pack/pack.h"

int main(void)
{
    const int64_t n[3] = {4, 4, 4};
    float values[64], decoded[64];
    unsigned char out[16 + 4 * 64] = {0};
    struct mesh_pack_wish any = {MESH_PACK_AUTO, .1}, zfp = {MESH_PACK_ZFP, .1};
    struct cca_error err = {0};
    int chained, rc;

    for (int i = 0; i < 64; i++)
        values[i] = (float)(i * i % 17) / 3;
    printf("%d\n", mesh_pack(values, n, NULL, &any, out, decoded, &chained, NULL) > 0);
    printf("%d\n", mesh_unpack(out, 1 + 64, n, NULL, decoded, &err) != -ENOTSUP);
    printf("%d\n",
           mesh_pack(values, n, NULL, &zfp, out, decoded, &chained, NULL) == -ENOTSUP);
    out[0] = MESH_PACK_ZFP;
    err.code = 0;
    rc = mesh_unpack(out, 40, n, NULL, decoded, &err);
    printf("%d\n%s\n", rc == -ENOTSUP, err.text);
    return 0;
}
EOF
run 0 $CC -std=gnu11 -D_GNU_SOURCE -ffp-contract=off -I"$root" -o without without.c "$root"/mesh/pack/*.c -lm
run 0 ./without
equal "without zfp" "1 1 1 1 found values packed by zfp, which this build lacks: install libzfp-dev and build again" \
    "$(tr '\n' ' ' <out | sed 's/ $//')"
finish
