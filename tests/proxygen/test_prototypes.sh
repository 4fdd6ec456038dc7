#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Classes that state the prototypes they were compiled with: connect and check refuse two that differ,
# though type, revision and size agree; a stale statement does not compile.
. "$(dirname "$0")/../lib/lib.sh"

flags="-shared -O1 $(ccafe cflags) -Wall -Wextra -Werror"

# header ARGUMENTS: a port of one method with these
header() {
    cat > area_port.h << END_HEADER
#ifndef AREA_PORT_H
#define AREA_PORT_H
#include "ports/cca_port.h"
#define AREA_PORT_TYPE "test.AreaPort/1"
struct area_port {
    struct cca_port base;
    int64_t (*area)(struct area_port *self, $1);
};
#endif
END_HEADER
}

# class NAME DESCRIPTOR CODE: a component of its own
class() {
    cat > "$1.c" << END_CLASS
#include <stdio.h>
#include "framework/cca.h"
#include "ports/go_port.h"
#include "area_port_signature.h"
$3
CCA_EXPORT const struct cca_class cca_class = {.name = "$1", $2};
END_CLASS
    # shellcheck disable=SC2086
    run 0 $CC $flags -I. "$1.c" -o "$1.so"
}
provider='struct server { struct area_port port; };
static int64_t server_area(struct area_port *self, int height, int width)
{
    (void)self;
    return 100 * height + width;
}
static const struct area_port port = {.base = {AREA_PORT_TYPE, sizeof port}, .area = server_area};'
serves='CCA_CLASS_WITHOUT_SERVICES(struct server),
    CCA_IMPLEMENTS({"area", offsetof(struct server, port), &port.base})'
user='struct user { struct go_port port; struct cca_services *services; };
static int user_go(struct go_port *self)
{
    struct user *user = cca_container_of(self, struct user, port);
    struct area_port *area = (struct area_port *)cca_services_get_port(
        user->services, "area", AREA_PORT_TYPE, sizeof *area, NULL);
    printf("area %d\n", (int)area->area(area, 2, 3));
    cca_services_release_port(user->services, "area", NULL);
    return 0;
}
static const struct go_port port = {.base = {GO_PORT_TYPE, sizeof port}, .go = user_go};'
uses='CCA_CLASS(struct user, services), CCA_IMPLEMENTS({"go", offsetof(struct user, port), &port.base}),
    CCA_USES({"area", AREA_PORT_TYPE, sizeof(struct area_port), 1, 1, 0})'
states='CCA_SIGNATURES(AREA_PORT_SIGNATURE)'

header "int height, int width"
run 0 proxygen --signature area_port.h
cp area_port_signature.h first.h
class Server "$serves, $states" "$provider"
class Silent "$serves" "$provider"
class User "$uses, $states" "$user"
run 0 proxygen area_port.h
# shellcheck disable=SC2086
run 0 $CC $flags -I. area_port_proxy.c -o area_port_proxy.so

# script PROVIDER: it and the user, connected
script() {
    printf '%s\n' "path append $dir" "create $1 server" "create User user" "connect user area server area" "go user go" > area.rc
}
for provides in Server Silent; do
    script $provides
    expect 0 "no mistakes" ccafe check area.rc
    expect 0 "area 203" ccafe area.rc
    expect 0 "area 203" ccafe --measure -o $provides.mm area.rc
done

# --- The arguments exchanged: the same type, revision and size
header "int width, int height"
class Late "$serves, $states" "$provider" # with the header of before: nothing of the types has changed
run 0 proxygen --signature area_port.h
cmp -s area_port_signature.h first.h && fail "the names of the arguments are not in the signature"
class Other "$serves, $states" "$provider"
script Other
words="class 'Other' and class 'User' have different prototypes of test.AreaPort/1: run proxygen --signature"
expect 3 "area.rc:4: $words" ccafe check area.rc
expect 3 "area.rc:4: $words" ccafe area.rc
# The proxy is of the header of before, and the user says nothing.
class User "$uses" "$user"
expect 0 "area 203" ccafe area.rc
expect 4 "area.rc:2: class 'Other' and class 'area_port_proxy' have different prototypes of test.AreaPort/1" ccafe --measure area.rc
script Silent
class User "$uses, $states" "$user"
expect 3 "class 'area_port_proxy' and class 'User' have different prototypes of test.AreaPort/1" ccafe --measure area.rc

# --- FfiProxy compares the hash of its document
mkdir described
run 0 proxygen --describe area_port.h -o described
rm area_port_proxy.so
if [ -e "$O/lib/mastermind/FfiProxy.so" ]; then
    script Other
    run 0 ccafe --path described --measure -o other.mm area.rc
    grep -q prototypes err && fail "a document of the same header: $(cat err)"
    script Server
    class User "$uses" "$user"
    expect 0 "'server' has other prototypes of test.AreaPort/1 than $dir/described/test.AreaPort-1.describe.json" \
        ccafe --path described --measure -o server.mm area.rc
fi

# --- A statement of other types, or of fewer methods, does not compile
header "double width, int height"
stale() { # HOW
    echo '#include "area_port_signature.h"' > stale.c
    for compiler in gcc clang; do
        # shellcheck disable=SC2086
        run 1 $compiler ${flags/-shared/-c} -I. stale.c -o stale.o
        grep -q "area_port.h .*run proxygen --signature again" err || fail "$compiler: $1"
    done
}
stale "another type of an argument"
header "int width, int height); int (*other)(struct area_port *self"
stale "another method"

# --- What is written is C and C++, for whatever a port may have
for port in "$root"/ports/*_port.h "$root"/bench/*_port.h; do
    name=${port##*/} name=${name%.h}
    [ "$name" != cca_port ] || continue
    run 0 proxygen --signature -I "$root" -I "${port%/*}" "$port" -o signatures
    echo "#include \"signatures/${name}_signature.h\"" >> use.c
done
[ "$(wc -l < use.c)" -ge 20 ] || fail "ports: $(cat use.c)"
for compiler in "gcc -std=c11" "clang -std=gnu11" "g++ -x c++ -std=c++17" "clang++ -x c++ -std=c++17"; do
    run 0 $compiler -Wall -Wextra -Werror -I. -I"$root" -I"$root/ports" -I"$root/bench" -c use.c -o use.o
done
run 0 proxygen --describe -I "$root" "$root/ports/flux_port.h"
grep -q "\"signature\": \"$(sed -n 's/.*_TYPE, "\(.*\)"}/\1/p' signatures/flux_port_signature.h)\"" out || fail "--describe: $(cat out)"
expect 2 "--signature goes with -o, -I and -D alone" proxygen --signature --describe area_port.h
printf 'int x;\n' > none.h
expect 3 "none.h:1:1: error: no port in the header" proxygen --signature none.h
finish
