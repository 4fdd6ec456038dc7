#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Components that crash: who it was is named, what was kept is readable, the signal is the same.
. "$(dirname "$0")/../lib/lib.sh"
skip_sanitized "a sanitizer reports crashes itself"
unset CRASH

# --- Six classes of one source: each passes a step on, the last one does what CRASH says -------------
cat >step_port.h <<'END'
#ifndef STEP_PORT_H
#define STEP_PORT_H
#include "ports/cca_port.h"
#define STEP_PORT_TYPE "crash.StepPort/1"
struct step_port {
    struct cca_port base;
    /* Go `n` steps further down. Returns 0. */
    int (*step)(struct step_port *self, int n);
};
#endif
END
cat >step.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "framework/cca.h"
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include "ports/builder_port.h"
#include "ports/connection_event_port.h"
#include "ports/go_port.h"
#include "ports/parameter_factory_port.h"
#include "step_port.h"
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

struct link {
    struct go_port go;
    struct step_port step;
    struct cca_services *services;
};

static volatile int sink;
static struct link *newest;

static int dive(volatile char *above)
{
    volatile char here[4096];

    here[0] = *above;
    return dive(here) + here[0];
}

static int crash(const char *how)
{
    int (*volatile nowhere)(void) = NULL;
    char *volatile null = NULL;
    volatile int zero = 0;
    volatile char top = 0;

    if (!strcmp(how, "unmap")) /* and with it the ports */
        munmap(newest, sizeof *newest);
    if (!strcmp(how, "segv") || !strcmp(how, "unmap"))
        *null = 1;
    if (!strcmp(how, "libc"))
        strcpy(null, "text");
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "fpe"))
        sink = 1000 / zero;
    if (!strcmp(how, "null"))
        nowhere();
    if (!strcmp(how, "overflow"))
        sink = dive(&top);
    if (!strcmp(how, "smash")) { /* what the stack says is wrong from here up */
        memset(__builtin_frame_address(0), 0x41, 256);
        *null = 1;
    }
    return 0;
}

static void *thread(void *how)
{
    crash(how);
    return NULL;
}

static void handler(int number)
{
    printf("the component's handler: %d\n", number);
    fflush(stdout);
    _Exit(9);
}

static int at(const char *where)
{
    const char *wish = getenv("CRASH");
    size_t length = strlen(where);
    pthread_t made;

    if (!wish || strncmp(wish, where, length) || wish[length] != ':')
        return 0;
    wish += length + 1;
    if (!strncmp(wish, "thread-", 7)) {
        pthread_create(&made, NULL, thread, (void *)(wish + 7));
        pthread_join(made, NULL);
    } else if (!strncmp(wish, "fork-", 5)) {
        pid_t child = fork();
        int status = 0;

        if (child == 0)
            crash(wish + 5);
        printf("the child: signal %d\n", waitpid(child, &status, 0) == child ? WTERMSIG(status) : 0);
        return 0;
    } else if (!strcmp(wish, "handler")) {
        signal(SIGSEGV, handler);
        crash("segv");
    }
    return crash(wish);
}

static int pass(struct link *link, int n)
{
    struct step_port *next = cca_services_get_port_nonblocking(
        link->services, "next", STEP_PORT_TYPE, sizeof *next, NULL);

    sink++;
    if (!next)
        return n < 0 ? n : at("deep");
    n = next->step(next, n - 1);
    cca_services_release_port(link->services, "next", NULL);
    return n;
}

static int link_step(struct step_port *self, int n)
{
    return pass(cca_container_of(self, struct link, step), n);
}

static int link_go(struct go_port *self)
{
    at("go");
    return pass(cca_container_of(self, struct link, go), 10);
}

static int at_connection(void *context, const struct connection_event *event, struct cca_error *err)
{
    (void)context;
    (void)event;
    (void)err;
    return at("connection");
}

static void at_change(void *context, const struct builder_event *event)
{
    (void)context;
    (void)event;
    at("change");
}

static int at_parameter(void *context, const char *port, const char *name, const char *value,
                        struct cca_error *err)
{
    (void)context;
    (void)port;
    (void)name;
    (void)value;
    (void)err;
    return at("parameter");
}

/* Hear of everything that there is to hear of. */
static void listen(struct cca_services *services, struct cca_error *err)
{
    struct connection_event_port *events = cca_services_get_port(
        services, "events", CONNECTION_EVENT_PORT_TYPE, sizeof *events, err);
    struct builder_port *builder =
        cca_services_get_port(services, "builder", BUILDER_PORT_TYPE, sizeof *builder, err);
    struct parameter_factory_port *factory = cca_services_get_port(
        services, "factory", PARAMETER_FACTORY_PORT_TYPE, sizeof *factory, err);

    events->add_listener(events, CONNECTION_EVENT_ALL, at_connection, NULL);
    builder->add_listener(builder, at_change, NULL);
    factory->add_set_listener(factory, "config", at_parameter, NULL);
}

static void *link_create(const struct cca_class *cls, struct cca_error *err)
{
    struct link *link = mmap(NULL, sizeof *link, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    newest = link;
    (void)cls;
    (void)err;
    at("create");
    link->go = (struct go_port){{GO_PORT_TYPE, sizeof link->go}, link_go};
    link->step = (struct step_port){{STEP_PORT_TYPE, sizeof link->step}, link_step};
    return link;
}

static int link_set_services(void *self, struct cca_services *services, struct cca_error *err)
{
    struct link *link = self;

    link->services = services;
    at("set_services");
    listen(services, err);
    return cca_services_add_provides_port(services, &link->go.base, "go", NULL, err) ||
           cca_services_add_provides_port(services, &link->step.base, "step", NULL, err);
}

static void link_destroy(void *self)
{
    at("destroy");
    munmap(self, sizeof(struct link));
}

static const struct cca_port_decl provides[] = {
    {.name = "go", .type = GO_PORT_TYPE, .size = sizeof(struct go_port)},
    {.name = "step", .type = STEP_PORT_TYPE, .size = sizeof(struct step_port)},
    {0}};
static const struct cca_port_decl uses[] = {
    {.name = "next", .type = STEP_PORT_TYPE, .size = sizeof(struct step_port)},
    {.name = "events", .type = CONNECTION_EVENT_PORT_TYPE, .size = sizeof(struct connection_event_port)},
    {.name = "builder", .type = BUILDER_PORT_TYPE, .size = sizeof(struct builder_port)},
    {.name = "factory", .type = PARAMETER_FACTORY_PORT_TYPE, .size = sizeof(struct parameter_factory_port)},
    {0}};
static const struct cca_param_decl params[] = {{.name = "n", .type = CCA_INT, .value = "1"}, {0}};

CCA_EXPORT const struct cca_class cca_class = {
    .abi = CCA_ABI, .size = sizeof(struct cca_class), .name = TEXT(NAME),
    .provides = provides, .uses = uses, .params = params,
    .create = link_create, .set_services = link_set_services, .destroy = link_destroy,
};
END
mkdir lib
: >chain.rc
for i in 0 1 2 3 4 5; do
    # shellcheck disable=SC2046
    $CC -O1 -g -fPIC -shared $(ccafe cflags) -I. -DNAME=Step$i -Wl,--build-id=sha1 -pthread \
        step.c -o lib/Step$i.so 2>err || fail "step.c"
    echo "instantiate Step$i s$i" >>chain.rc
done
for i in 0 1 2 3 4; do
    echo "connect s$i next s$((i + 1)) step" >>chain.rc
done
echo "parameter s3 config n 2" >>chain.rc
echo "go s0 go" >>chain.rc
id_of()
{
    ccafe inspect --path lib "$1" | sed -n 's/^build id *//p'
}
# crashes STATUS CRASH LINE WORDS [OPTION...]: the last line is one of naming, with the words.
crashes()
{
    want=$1 wish=$2 line=$3 words=$4
    shift 4
    { CRASH=$wish timeout 60 ccafe "$@" --path lib chain.rc >out 2>err; } 2>/dev/null
    status=$?
    [ $status = "$want" ] || fail "$wish $*: status $status, expected $want"
    grep -q "^chain.rc:$line: killed in '[a-z]*' by signal $((want - 128))\$" err ||
        fail "$wish $*: the line of the script is not named"
    grep -qE "^chain.rc:$line: $words\$" err || fail "$wish $*: no line '$words'"
}
id0=$(id_of Step0) id5=$(id_of Step5)
[ -n "$id0" ] && [ -n "$id5" ] && [ "$id0" != "$id5" ] || fail "no build ids"
run_without()
{
    ccafe --path lib chain.rc >out 2>err || fail "the chain does not run without a crash"
    [ ! -s err ] || fail "words without a crash"
}
run_without
place0="\\(class Step0, build id $id0, [a-z_]+ at Step0\\.so\\+0x[0-9a-f]+\\)"
place5="\\(class Step5, build id $id5, [a-z_]+ at Step5\\.so\\+0x[0-9a-f]+\\)"
crashes 139 create:segv 1 "in 'create' of 's0' $place0"
crashes 134 create:abort 1 "in 'create' of 's0' $place0"
crashes 139 set_services:segv 1 "in 'set_services' of 's0' $place0"
crashes 139 go:segv 13 "in 'go' of 's0' $place0"
crashes 136 go:fpe 13 "in 'go' of 's0' $place0"
crashes 139 go:libc 13 "in 'go' of 's0' $place0"
crashes 139 go:overflow 13 "in 'go' of 's0' $place0"
crashes 139 go:null 13 "in 'go' of 's0' $place0"
crashes 139 deep:segv 13 "in 's5.step', function 'link_step' $place5, during 'go' of 's0'"
crashes 134 deep:abort 13 "in 's5.step', function 'link_step' $place5, during 'go' of 's0'"
crashes 139 deep:overflow 13 "in 's5.step', function 'link_step' $place5, during 'go' of 's0'"
crashes 139 deep:thread-segv 13 "in code of 's5' $place5, in a thread of its own"
crashes 134 deep:thread-abort 13 "in code of 's5' $place5, in a thread of its own"
# A thread without a second stack for the handler: the signal ends the program, as it does without ccafe.
{ CRASH=deep:thread-overflow ccafe --path lib chain.rc >out 2>err; } 2>/dev/null
[ $? = 139 ] && [ ! -s err ] || fail "a thread that runs over its own stack"
crashes 139 deep:smash 13 "in code of 's5' $place5, during 'go' of 's0'"
crashes 139 deep:unmap 13 "in code of 's5' \\(class Step5, build id $id5, Step5\\.so\\+0x[0-9a-f]+\\), during 'go' of 's0'"
# The end of the script is where instances go, the last one first.
crashes 139 destroy:segv 13 "in 'destroy' of 's5' $place5"

# Listeners: the first connection is on line 7, the first instance that hears of a later one s0.
crashes 139 connection:segv 7 "in 'connection listener' of 's0' $place0"
crashes 134 connection:abort 7 "in 'connection listener' of 's0' $place0"
crashes 139 change:segv 1 "in 'builder listener' of 's0' $place0"
crashes 139 parameter:segv 12 "in 'parameter listener' of 's3' \\(class Step3, build id [0-9a-f]+, crash at Step3\\.so\\+0x[0-9a-f]+\\)"
crashes 139 parameter:overflow 12 "in 'parameter listener' of 's3' \\(class Step3, build id [0-9a-f]+, dive at Step3\\.so\\+0x[0-9a-f]+\\)"

# A child that a component has forked is named as such; the program goes on.
for number in 11:segv 6:abort 11:overflow; do
    CRASH=deep:fork-${number#*:} ccafe --path lib chain.rc >out 2>err || fail "the end of a child ends the program"
    grep -qx "the child: signal ${number%:*}" out || fail "a child's signal is another"
    grep -qx "chain.rc:13: in a child process: killed in 'go' by signal ${number%:*}" err || fail "no word of a child"
    grep -qE "^chain.rc:13: in a child process: in 's5.step', function 'link_step' $place5, during 'go' of 's0'\$" err ||
        fail "whose code a child was in"
done

# Without a table of symbols the port is known, and which of its methods.
mkdir stripped
for i in 0 1 2 3 4 5; do
    strip -o stripped/Step$i.so lib/Step$i.so || fail "strip"
done
CRASH=deep:segv ccafe --path stripped chain.rc >out 2>err
grep -qE "^chain.rc:13: in method 1 of 's5.step' \(class Step5, build id $id5, Step5.so\+0x[0-9a-f]+\), during 'go' of 's0'\$" err ||
    fail "a stripped library"

# Functions of C++ have the names of their sources; those of templates stay as they are.
cat >cxx.cc <<'END'
extern "C" {
#include "framework/cca.h"
#include "ports/go_port.h"
}
#include <cstdlib>
namespace solver {
namespace {
struct Mesh {
    Mesh() { std::abort(); }
    __attribute__((noinline)) void refine() const { std::abort(); }
    template <int> __attribute__((noinline)) void coarsen() { std::abort(); }
    ~Mesh() { std::abort(); }
};
}
__attribute__((noinline)) void step(void *mesh)
{
    const char *how = std::getenv("CRASH");
    Mesh *m = static_cast<Mesh *>(mesh);
    switch (how[0]) {
    case 'm': m->refine(); break;
    case 't': m->coarsen<2>(); break;
    case 'd': m->~Mesh(); break;
    case 'c': new (mesh) Mesh; break;
    default: std::abort();
    }
    asm volatile("");
}
}
static char memory[8];
static int go(go_port *) { solver::step(memory); return 0; }
static go_port port = {{GO_PORT_TYPE, sizeof(go_port)}, go};
static int set_services(void *, cca_services *services, cca_error *err)
{
    return cca_services_add_provides_port(services, &port.base, "go", nullptr, err);
}
static void *create(const cca_class *, cca_error *) { return memory; }
static void destroy(void *) {}
static const cca_port_decl ports[] = {{"go", GO_PORT_TYPE, sizeof(go_port)}, {}};
extern "C" CCA_EXPORT const cca_class cca_class = {
    .abi = CCA_ABI, .size = sizeof(struct cca_class), .name = "Cxx",
    .provides = ports, .create = create, .set_services = set_services,
    .destroy = destroy};
END
mkdir cxx
# shellcheck disable=SC2046
${CXX:-g++} -std=c++20 -O1 -fno-inline -fPIC -shared $(ccafe cflags) -include new cxx.cc -o cxx/Cxx.so 2>err || fail "cxx.cc: $(cat err)"
printf 'instantiate Cxx x\ngo x go\n' >cxx.rc
mesh='solver::(anonymous namespace)::Mesh'
for pair in "step:solver::step" "method:$mesh::refine" "ctor:$mesh::Mesh" "dtor:$mesh::~Mesh" \
    "template:_ZN6solver12_GLOBAL__N_14Mesh7coarsenILi2EEEvv"; do
    { CRASH=${pair%%:*} ccafe --path cxx cxx.rc >out 2>err; } 2>/dev/null
    grep -qF "${pair#*:} at Cxx.so+0x" err || fail "${pair%%:*}: $(cat err)"
done

# A handler that a component has is the component's.
CRASH=deep:handler ccafe --path lib chain.rc >out 2>err
[ $? = 9 ] || fail "a component's handler is not called"
grep -qx "the component's handler: 11" out || fail "a component's handler says nothing"
grep -q killed err && fail "ccafe speaks where a component handles the signal"

# Several of a class: which one it was cannot be known, and is not made up.
sed 's/Step4/Step5/' chain.rc >twins.rc
CRASH=deep:segv ccafe --path lib twins.rc >out 2>err
grep -qE "^twins.rc:13: in 'step', function 'link_step' of one of 's4', 's5' $place5, during 'go' of 's0'\$" err ||
    fail "two instances of a class"

# --- Measured: the method is named, and all rows are there -----------------------------------------
proxygen -I "$root" -I . -o . step_port.h 2>err || fail "proxygen"
# shellcheck disable=SC2046
$CC -O1 -g -fPIC -shared $(ccafe cflags) -I. step_port_proxy.c -o lib/step_port_proxy.so 2>err ||
    fail "step_port_proxy.c"
# With a proxy on the path methods have their names, also where no call is measured.
crashes 139 deep:segv 13 "in 's5.step.step' $place5, during 'go' of 's0'"
crashes 139 deep:overflow 13 "in 's5.step.step' $place5, during 'go' of 's0'"
crashes 139 deep:segv 13 "in 's5.step.step' $place5" --measure --experiment e1
mastermind report e1 >out 2>err || fail "the experiment of a crashed run is not readable"
for i in 0 1 2 3 4 5; do
    grep -qE "s$i\.step\.step|s0\.go\.go" out || fail "the report does not know s$i"
done
crashes 134 deep:abort 13 "in 's5.step.step' $place5" --measure --experiment e2
crashes 139 go:segv 13 "in 's0.go.go' $place0" --measure --experiment e3
crashes 139 deep:overflow 13 "in 's5.step.step' $place5" --measure --experiment e4
sed 's/^connect .*4 next.*//; s/^go.*/eject s5 step\nconnect s4 next s5 step\ngo s0 go/' chain.rc >eject.rc
CRASH=deep:segv ccafe --measure --experiment e5 --path lib eject.rc >out 2>err
grep -qE "^eject.rc:[0-9]*: in 's5.step.step' $place5, called by 's4.step.step'\$" err ||
    fail "an unmeasured component behind a measured one"

finish
