#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Libraries of the system, the C library among them, from their headers as Debian ships them.
. "$(dirname "$0")/../headers/headers.sh"
needs_preload

multiarch=$($CC -print-multiarch)
library curl /usr/include/"$multiarch"/curl/curl.h "" -lcurl
library evp /usr/include/openssl/evp.h "" -lcrypto
library ffi /usr/include/"$multiarch"/ffi.h "" -lffi
# The address sanitizer has functions of the C library itself.
[ "$BUILD" != asan ] || finish
library libc "$here/libc.h" "" "" -I"$here"

# Functions that are called before any of ours has begun, by the constructor of a library, and that
# looking for functions needs itself.
cat > early.c << 'END'
#include <stdlib.h>
#include <string.h>
static int equal;
int early_equal(void) { return equal; }
__attribute__((constructor)) static void early(void)
{
    char *kept = strdup("kept");
    equal = strcmp(kept, "kept") == 0 && strcmp(kept, "other") != 0 && strlen(kept) == 4;
    free(kept);
}
END
cat > late.c << 'END'
#include <string.h>
int early_equal(void);
int main(int argc, char **argv) { return argc > 1 && early_equal() && strcmp(argv[1], "x") == 0 ? 7 : 1; }
END
{ $CC -O1 -fno-builtin -shared -fPIC -o libearly.so early.c &&
    $CC -O1 -fno-builtin -o late late.c -L. -learly -Wl,-rpath,"$dir"; } || fail "late: no program"
for pattern in 'str*' '*'; do
    rm -rf early late.mm
    timeout 120 proxygen --interpose /usr/include/string.h --functions "$pattern" -o early > said 2>&1 ||
        fail "string.h: $(tail -n 1 said)"
    timeout 60 mastermind record --proxy early -o late.mm -- ./late x > /dev/null 2> said
    [ $? = 7 ] || fail "string.h $pattern: another status: $(tail -n 1 said)"
    [ "$(mastermind records late.mm | grep -c ',strcmp,')" = 3 ] || fail "string.h $pattern: $(tail -n 1 said)"
done

# A header that another has to come before.
printf '#include <stddef.h>\nsize_t fread(void *to, size_t size, size_t n, FILE *from);\n' > needy.h
timeout 60 proxygen --interpose needy.h --functions fread -I. -include stdio.h -o needy > said 2>&1 ||
    fail "needy: $(tail -n 1 said)"
finish
