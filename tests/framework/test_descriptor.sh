#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Class descriptors of other sizes, with and without create, set_services and destroy, and ill ones.
. "$(dirname "$0")/../lib/lib.sh"

compile() # compile FILE FLAGS...: FILE.c to classes/Class.so
{
    file=$1
    shift
    rm -rf classes
    mkdir classes
    # shellcheck disable=SC2046
    "$CC" -shared -std=gnu11 -Wall -Wextra -Werror $(ccafe cflags) "$@" "$file.c" \
        -o classes/Class.so || fail "$file.c does not compile with: $*"
}
printf '%s\n' 'path append classes' 'instantiate Class c' 'go c go' 'remove c' >class.rc

# --- A component that was compiled before the descriptor had a tail ---------------------------------
cat >Old.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include "framework/cca.h"
#include "ports/go_port.h"

struct old_port_decl {
    const char *name, *type;
    size_t size;
    int min_connections, max_connections;
    unsigned flags;
};
struct old_class {
    unsigned abi, size;
    const char *name, *summary;
    const struct old_port_decl *provides, *uses;
    const void *params, *quality;
    const char *proxy_for, *serves;
    unsigned flags;
    void *(*create)(const struct old_class *cls, struct cca_error *err);
    int (*set_services)(void *self, struct cca_services *services, struct cca_error *err);
    void (*destroy)(void *self);
};

static int old_go(struct go_port *self)
{
    (void)self;
    puts("old runs");
    return 0;
}
static void *old_create(const struct old_class *cls, struct cca_error *err)
{
    struct go_port *port = malloc(sizeof *port);

    (void)err;
    *port = (struct go_port){{GO_PORT_TYPE, sizeof *port}, old_go};
    printf("created with %u bytes\n", cls->size);
    return port;
}
static int old_set_services(void *self, struct cca_services *services, struct cca_error *err)
{
    return cca_services_add_provides_port(services, self, "go", NULL, err);
}
static const struct old_port_decl old_provides[] = {
    {"go", GO_PORT_TYPE, sizeof(struct go_port), 0, 0, 0}, {0}};
CCA_EXPORT const struct old_class cca_class;
const struct old_class cca_class = {
    .abi = 2, .size = sizeof cca_class, .name = "Class", .provides = old_provides,
    .create = old_create, .set_services = old_set_services, .destroy = free};
END
compile Old
run 0 ccafe check class.rc
run 0 ccafe inspect classes/Class.so
holds out "go     gov.cca.ports.GoPort/1  24 bytes"
run 0 ccafe class.rc
says "created with 104 bytes"
says "old runs"

# --- With a tail: what the framework makes, and what is called in addition --------------------------
cat >New.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "framework/cca.h"
#include "ports/go_port.h"

#ifndef DESTROY_FREES
#define DESTROY_FREES 0
#endif
#ifndef PORT_TYPE
#define PORT_TYPE GO_PORT_TYPE
#endif
#ifndef PORT_SIZE
#define PORT_SIZE sizeof(struct go_port)
#endif
#ifndef SIZE
#define SIZE sizeof(struct cca_class)
#endif
#ifndef INSTANCE
#define INSTANCE sizeof(struct instance)
#endif
#ifndef SERVICES
#define SERVICES offsetof(struct instance, services)
#endif
#ifndef PORTS
#define PORTS {"go", offsetof(struct instance, go), &port.base}
#endif
#ifndef CREATE
#define CREATE NULL
#endif
#ifndef SET
#define SET NULL
#endif
#ifndef DESTROY
#define DESTROY NULL
#endif
#ifndef MORE
#define MORE
#endif
#ifndef UNKNOWN
#define UNKNOWN NULL
#endif

struct instance {
    struct go_port go;
    int number;
    struct cca_services *services;
    char zeros[1000];
};
static int new_go(struct go_port *self)
{
    struct instance *i = cca_container_of(self, struct instance, go);
    int dirt = (uintptr_t)i % 64 != 0;

    for (size_t k = 0; k < sizeof i->zeros; k++)
        dirt += i->zeros[k] != 0;
    printf("%s runs, %d, %d\n", cca_services_instance_name(i->services), i->number, dirt);
    return 0;
}
static void *new_create(const struct cca_class *cls, struct cca_error *err)
{
    void *self = aligned_alloc(64, (cls->instance_size + 63) / 64 * 64);

    (void)err;
    puts("create");
    return memset(self, 0, cls->instance_size);
}
static int new_set_services(void *self, struct cca_services *services, struct cca_error *err)
{
    struct instance *i = self;

    printf("set_services %d\n", i->services == services && i->go.go == new_go);
    i->number = 7;
    return i->services == services ? 0 : cca_error_set(err, -1, "no services");
}
static void new_destroy(void *self)
{
    printf("destroy %d\n", ((struct instance *)self)->number);
    if (DESTROY_FREES)
        free(self);
}
static const struct go_port port = {{PORT_TYPE, PORT_SIZE}, new_go};

/* All are used, whatever the descriptor takes. */
const void *const used[] = {&port, (void *)new_create, (void *)new_set_services, (void *)new_destroy};

/* A descriptor with a member more than the framework knows. */
struct newer {
    struct cca_class cls;
    const char *more;
};
CCA_EXPORT const struct newer cca_class;
const struct newer cca_class = {
    .cls = {.abi = CCA_ABI, .size = SIZE, .name = "Class", .instance_size = INSTANCE,
            .services_offset = SERVICES, CCA_IMPLEMENTS(PORTS), .create = CREATE,
            .set_services = SET, .destroy = DESTROY, MORE},
    .more = UNKNOWN};
END
made() # made LINES NAME=VALUE...: a run prints LINES, parted by '|'
{
    lines=$1
    shift
    compile New "${@/#/-D}"
    run 0 ccafe check class.rc
    run 0 ccafe inspect classes/Class.so
    holds out "go     gov.cca.ports.GoPort/1  24 bytes"
    run 0 ccafe class.rc
    equal "what runs with $*" "$lines" "$(paste -sd'|' out)"
}
made "c runs, 0, 0"
made "set_services 1|c runs, 7, 0|destroy 7" SET=new_set_services DESTROY=new_destroy
made "create|set_services 1|c runs, 7, 0|destroy 7" CREATE=new_create SET=new_set_services \
    DESTROY=new_destroy DESTROY_FREES=1
made "c runs, 0, 0" "MORE=CCA_PROVIDES({.name = \"go\", .type = GO_PORT_TYPE, .size = 24, .max_connections = 1})"

# A size that is larger than known: what is not known must be zero.
made "c runs, 0, 0" "SIZE=sizeof(struct newer)"

# --- Ill descriptors: one line, from inspect, check and the run alike -------------------------------
refused() # refused WORDS NAME=VALUE...
{
    words=$1
    shift
    compile New "${@/#/-D}"
    run 3 ccafe inspect classes/Class.so
    complains "ccafe: 'classes/Class.so': $words"
    run 3 ccafe check class.rc
    holds err "$words"
    run 3 ccafe class.rc
    holds err "$words"
}
refused "class 'Class': implemented port 'go' of 24 bytes at offset 4096 is not inside the instance of 1040 bytes" \
    'PORTS={"go", 4096, &port.base}'
refused "class 'Class': implemented port 'go' of 24 bytes at offset 18446744073709551608 is not inside the instance of 1040 bytes" \
    'PORTS={"go", (size_t)-8, &port.base}'
refused "class 'Class': implemented port 'go' is at offset 4, expected a multiple of 8" 'PORTS={"go", 4, &port.base}'
refused "class 'Class': implemented port 'go' has no struct to copy" 'PORTS={"go", 0, NULL}'
refused "class 'Class': implemented port 'go' has no type" PORT_TYPE=NULL
refused "class 'Class': implemented port 'go' states a size that its struct does not have" PORT_SIZE=8
refused "class 'Class': implemented port 'go' states a size that its struct does not have" 'PORT_SIZE=(size_t)1 << 40'
refused "class 'Class': implemented port 'go' covers the pointer 'services'" SERVICES=8
refused "class 'Class': implemented port 'two' covers another one" \
    'PORTS={"go", 0, &port.base}, {"two", 16, &port.base}' SERVICES=64
refused "class 'Class': port 'go' is implemented twice" 'PORTS={"go", 0, &port.base}, {"go", 64, &port.base}'
refused "class 'Class': the pointer 'services' of 8 bytes at offset 1036 is not inside the instance of 1040 bytes" \
    SERVICES=1036
refused "class 'Class': the pointer 'services' is at offset 1, expected a multiple of 8" SERVICES=1
refused "class 'Class': provides port 'go' is declared as gov.cca.ports.GoPort/1 of 32 bytes and implemented as gov.cca.ports.GoPort/1 of 24" \
    "MORE=CCA_PROVIDES({.name = \"go\", .type = GO_PORT_TYPE, .size = 32})"
refused "class 'Class': port 'go' is both provided and used" \
    "MORE=CCA_USES({.name = \"go\", .type = GO_PORT_TYPE, .size = 24})"
refused "class 'Class' states services_offset or implements, and no instance_size" INSTANCE=0 \
    CREATE=new_create SET=new_set_services DESTROY=new_destroy
refused "damaged: its class descriptor's function 'create' and its instance_size are missing" INSTANCE=0
refused "damaged: its class descriptor's function 'destroy' is missing" CREATE=new_create
refused "damaged: its class descriptor's functions lie outside the code" SET='(void *)16'
refused "damaged: its class descriptor's functions lie outside the code" 'DESTROY=(void *)&port'
refused "its class descriptor has a size of 96 bytes, this framework has 136 (set .size = sizeof(struct cca_class))" \
    SIZE=96
refused "its class descriptor of 144 bytes uses members that this framework, whose descriptor has 136 bytes, lacks" \
    "SIZE=sizeof(struct newer)" 'UNKNOWN="new"'
refused "damaged: its class descriptor's symbol is too small" SIZE=4096
refused "class 'Class': port 'config' is implemented, and the framework serves it for parameters" \
    'PORTS={"config", 0, &port.base}' 'MORE=CCA_PARAMS({.name = "n", .type = CCA_INT, .value = "1"})'

finish
