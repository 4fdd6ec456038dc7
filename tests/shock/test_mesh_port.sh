#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The adaptive step of docs/guide/components.md: it compiles against the mesh port, and works on the
# levels in the right order, with the right ghost cells and fluxes.
. "$(dirname "$0")/../lib/lib.sh"
set -e
cd "$root" || exit 1
sed -n '/^## The mesh port/,$p' docs/guide/components.md | sed -n '/^```c$/,/^```$/{/^```/d;p}' > "$dir/step.h"
[ -s "$dir/step.h" ]
$CC -std=gnu11 -Wall -Wextra -Wshadow -Werror -g -I. -I"$dir" \
    -o "$dir/step" tests/data/mesh_port_fake.c
"$dir/step" > "$dir/found"
cat > "$dir/expected" <<'END'
balance0 regrid0 keep0 L0 keep1 L1 L2 L2 reflux1 restrict1 keep1 L1 L2 L2 reflux1 restrict1 reflux0 restrict0 
balance1 keep0 L0 keep1 L1 L2 L2 reflux1 restrict1 keep1 L1 L2 L2 reflux1 restrict1 reflux0 restrict0 
fractions 1:0 1:0.5 2:0 2:0.5 2:0.5 2:1 1:0.5 1:1 2:0 2:0.5 2:0.5 2:1 1:0 1:0.5 2:0 2:0.5 2:0.5 2:1 1:0.5 1:1 2:0 2:0.5 2:0.5 2:1 
level 0: cell 2, registered 2 and 2
level 1: cell 2, registered 2 and 2
level 2: cell 2, registered 2 and 2
END
diff -u "$dir/expected" "$dir/found"
