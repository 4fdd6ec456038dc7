#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The peak of memory that an experiment keeps is the kernel's.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "a sanitizer cannot be preloaded"
export XDG_CACHE_HOME=$dir/cache

cat > fill.c <<'C'
#include <stdlib.h>
#include <string.h>
#include "mm_region.h"
int main(int count, char **words)
{
    size_t size = (size_t)atol(words[count - 1]);
    for (int i = 0; i < 3; i++) {
        mm_region_begin("fill", mm_param(size));
        char *bytes = malloc(size);
        memset(bytes, 1, size);
        __asm__ volatile("" : : "r"(bytes) : "memory");
        free(bytes);
        mm_region_end();
    }
    return 0;
}
C
gcc -O1 -I"$root/mastermind/preload" -o fill fill.c || exit 1
for size in 40000000 90000000; do
    rm -rf f.mm
    kernel=$(python3 - $size <<'P'
import os, sys
child = os.fork()
if not child:
    os.execvp("mastermind", ["mastermind", "record", "--no-report", "-o", "f.mm", "--", "./fill", sys.argv[1]])
print(os.wait4(child, 0)[2].ru_maxrss * 1024)
P
)
    mastermind report f.mm --json > f.json
    mastermind report f.mm > out
    python3 - "$kernel" $size <<'P' || fail "peak of $size bytes"
import json, sys
peak, kernel, size = json.load(open("f.json"))["time"]["peak_bytes"], int(sys.argv[1]), int(sys.argv[2])
assert abs(peak - kernel) < .01 * kernel and peak > size, (peak, kernel)
P
    grep -q "; peak memory [0-9.]* MiB" out || fail "the report does not show it"
done
finish
