/* SPDX-License-Identifier: BSD-3-Clause */
/* driver.cc: calls a trial component through its proxy and compares what the monitor was told.
 * Arguments: the directory of the libraries; "inserted" where the proxy cannot be wired by hand. */
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <unistd.h>

extern "C" {
#include "framework/framework.h"
}
#include "fake_monitor.h"
#include "trial_port.h"

static cca_framework *framework;
static fake_monitor *monitor;
static trial_port *port;
static cca_error err;

#define CHECK(condition) check((condition), __LINE__, #condition)
#define LOG(expected) check_log((expected), __LINE__)

static void check(bool ok, int line, const char *what)
{
    if (ok)
        return;
    std::fprintf(stderr, "driver.cc:%d: not true: %s (%s)\n", line, what, err.text);
    std::exit(1);
}

/* The monitor was told exactly this since the last look. */
static void check_log(const char *expected, int line)
{
    if (std::strcmp(monitor->log, expected) != 0) {
        std::fprintf(stderr, "driver.cc:%d: expected\n%s\nfound\n%s\n", line, expected,
                     monitor->log);
        std::exit(1);
    }
    monitor->log[0] = 0;
}

static const char opened[] =
    "open t.trial.work TrialTarget test.TrialPort/1(axis = axis mode{0:x sweep,1:\"y\" ?\?/,-3:-3}, "
    "nx = nx, size = size, dt = dt, Q = nx * size, R = (nx + 1) / axis, S = nx * dt, T = 1 / dt, "
    "U = -*count % 5 - (nx - 2), count = *count out, error = *error out);"
    "open t.trial.pair TrialTarget test.TrialPort/1(target = target, result = result, "
    "sum = target + result);"
    "open t.trial.touch TrialTarget test.TrialPort/1();"
    "open t.trial.feed TrialTarget test.TrialPort/1(amount = amount);"
    "open t.trial.mixed TrialTarget test.TrialPort/1(on = on, color = color, single = single, "
    "wide = wide, byte = byte);"
    "open t.trial.fail TrialTarget test.TrialPort/1();"
    "open t.trial.block TrialTarget test.TrialPort/1();"
    "open t.trial.optional TrialTarget test.TrialPort/1();";

static int64_t work(int axis, int nx, size_t size, double dt, int64_t *count, double *error)
{
    return port->work(port, axis, nx, size, dt, monitor->log, count, error);
}

static int add_one(void *context, int value)
{
    *static_cast<int *>(context) += 1;
    return value + 1;
}

static void connect(const char *user, const char *uses, const char *provider,
                    const char *provides)
{
    CHECK(cca_framework_connect(framework, user, uses, provider, provides, &err) == 0);
}

static void disconnect(const char *user, const char *uses, const char *provider,
                       const char *provides)
{
    CHECK(cca_framework_disconnect(framework, user, uses, provider, provides, &err) == 0);
}

static void values_and_order()
{
    int64_t count = 40;
    double error = 0;

    errno = 0;
    CHECK(work(1, 7, 6, 0.5, &count, &error) == INT64_C(5000000001));
    CHECK(errno == ERANGE && count == 7 && error == 0.5);
    LOG("begin work axis=1 nx=7 size=6 dt=0.5 Q=42 R=8 S=3.5 T=2 U=-5;call;"
        "end work count=7 error=0.5;");
    /* Absent out-parameters, a division by zero, products that do not fit. */
    work(0, INT_MAX, SIZE_MAX / 4, 0.0, nullptr, nullptr);
    LOG("begin work axis=0 nx=2147483647 size=4611686018427387903 dt=0 Q=9223372036854775807 "
        "R=0 S=0 T=0 U=absent;call;end work count=absent error=absent;");
    count = INT64_MIN;
    work(-1, INT_MIN, 0, 1.0, &count, nullptr);
    LOG("begin work axis=-1 nx=-2147483648 size=0 dt=1 Q=0 R=2147483647 S=-2.14748e+09 T=1 "
        "U=2147483652;call;end work count=-2147483648 error=absent;");
}

static void all_kinds_of_signatures()
{
    const double point[3] = {1, 2, 3};
    trial_pair nine = {9, 1.5}, result;
    const trial_pair *pairs = &nine;
    int calls = 0;

    result = port->pair(port, nine, add_one, 3, 0, 0, 0, 4, 0, &calls);
    CHECK(result.first == 10 && result.second == 1.5 && calls == 1);
    LOG("begin pair target=3 result=4 sum=7;end pair;");
    port->touch(port);
    LOG("begin touch;end touch;");
    port->feed(port, INT64_C(-9000000000));
    LOG("begin feed amount=-9000000000;end feed;");
    port->feed(port, INT64_MIN); /* a number, where the word for none is its neighbour */
    LOG("begin feed amount=-9223372036854775807;end feed;");
    CHECK(port->mixed(port, true, TRIAL_BLUE, 0.5f, 0.25L, point, 200, &pairs, 77));
    LOG("begin mixed on=1 color=2 single=0.5 wide=0.25 byte=200;end mixed;");
    CHECK(port->ratio(port) == 0.75 && std::strcmp(port->name(port, 4), "four") == 0);
    CHECK(port->origin(port).first == 3 && port->flags(port) == 6);
    port->rest(port);
    CHECK(port->optional == nullptr);
    LOG("");
}

static void exceptions_are_unwound()
{
    int caught = 0;

    try {
        port->fail(port, 42);
    } catch (int depth) {
        caught = depth;
    }
    CHECK(caught == 42);
    LOG("begin fail;unwind fail;");
    CHECK(port->fail(port, 0) == 1);
    LOG("begin fail;end fail;");
}

#if !defined(__SANITIZE_ADDRESS__)
static int ends[2][2];

static void *blocked(void *)
{
    port->block(port, ends[0][1], ends[1][0]);
    return nullptr;
}

static void cancelled_threads_are_unwound()
{
    pthread_t thread;
    void *result = nullptr;
    char byte;

    CHECK(pipe(ends[0]) == 0 && pipe(ends[1]) == 0);
    CHECK(pthread_create(&thread, nullptr, blocked, nullptr) == 0);
    CHECK(read(ends[0][0], &byte, 1) == 1); /* it is inside the call now */
    CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0);
    CHECK(result == PTHREAD_CANCELED);
    LOG("begin block;unwind block;");
    for (auto &end : ends) {
        close(end[0]);
        close(end[1]);
    }
}

#endif

static void switched_off_methods_only_forward()
{
    for (size_t i = 0; i < monitor->method_count; i++)
        monitor->methods[i].head.on = 0;
    CHECK(work(1, 7, 6, 0.5, nullptr, nullptr) == INT64_C(5000000001));
    port->touch(port);
    LOG("call;");
    for (size_t i = 0; i < monitor->method_count; i++)
        monitor->methods[i].head.on = 1;
    port->touch(port);
    LOG("begin touch;end touch;");
}

static void all_calls()
{
    values_and_order();
    all_kinds_of_signatures();
    exceptions_are_unwound();
#if !defined(__SANITIZE_ADDRESS__) /* which takes the frames that a cancellation leaves for in use */
    cancelled_threads_are_unwound();
#endif
    switched_off_methods_only_forward();
}

/* Without a target nothing crashes. */
static void unconnected_proxies_say_so()
{
    CHECK(work(1, 1, 1, 1, nullptr, nullptr) == -ENOTCONN);
    port->touch(port);
    port->rest(port);
    CHECK(port->fail(port, 1) == -ENOTCONN && port->ratio(port) == 0.0);
    CHECK(port->name(port, 4) == nullptr && port->flags(port) == 0);
    CHECK(port->origin(port).first == 0 && port->origin(port).second == 0.0);
    CHECK(port->optional && port->optional(port) == -ENOTCONN);
    LOG("");
}

static void wired_by_hand()
{
    CHECK(cca_framework_create(framework, "trial_port_proxy", "p", &err) == 0);
    port = static_cast<trial_port *>(cca_framework_port(framework, "p", "port", TRIAL_PORT_TYPE,
                                                        sizeof(trial_port), &err));
    CHECK(port != nullptr);
    unconnected_proxies_say_so();
    connect("p", "port", "t", "trial");
    CHECK(work(1, 1, 1, 1, nullptr, nullptr) > 0);
    LOG("call;"); /* the target, unmeasured */
    connect("p", "monitor", "m", "monitor");
    LOG(opened);
    all_calls();

    disconnect("p", "monitor", "m", "monitor");
    CHECK(work(1, 1, 1, 1, nullptr, nullptr) > 0);
    LOG("call;");
    disconnect("p", "port", "t", "trial");
    unconnected_proxies_say_so();
    connect("p", "monitor", "m", "monitor"); /* the other order, and new method ids */
    LOG("");
    connect("p", "port", "t", "trial");
    LOG(opened);
    CHECK(monitor->method_count == 16);
    values_and_order();
    disconnect("p", "port", "t", "trial");
    unconnected_proxies_say_so();

    monitor->refuse = 1;
    CHECK(cca_framework_connect(framework, "p", "port", "t", "trial", &err) == -ENOSPC);
    CHECK(std::strstr(err.text, "t.trial.work cannot be measured: no room for 'work'"));
    std::memset(&err, 0, sizeof err);
    monitor->refuse = 0;
    CHECK(work(1, 1, 1, 1, nullptr, nullptr) > 0);
    LOG("call;");
    disconnect("p", "port", "t", "trial");
}

static void inserted_and_ejected()
{
    for (int round = 0; round < 3; round++) {
        CHECK(cca_framework_insert(framework, "t", "trial", nullptr, &err) == 0);
        LOG(opened);
        CHECK(cca_framework_eject(framework, "t", "trial", &err) == 0);
    }
    CHECK(cca_framework_insert(framework, "t", "trial", nullptr, &err) == 0);
    LOG(opened);
    port = static_cast<trial_port *>(cca_framework_port(framework, "t", "trial",
                                                        TRIAL_PORT_TYPE, sizeof(trial_port),
                                                        &err));
    CHECK(port != nullptr);
    all_calls();
}

int main(int argc, char **argv)
{
    const cca_framework_options options = {};

    CHECK(argc == 2 || argc == 3);
    framework = cca_framework_new(&options, &err);
    CHECK(framework != nullptr);
    CHECK(cca_repository_path_append(cca_framework_repository(framework), argv[1], &err) == 0);
    CHECK(cca_framework_create(framework, "FakeMonitor", "m", &err) == 0);
    CHECK(cca_framework_create(framework, "TrialTarget", "t", &err) == 0);
    monitor = reinterpret_cast<fake_monitor *>(
        cca_framework_port(framework, "m", "monitor", MONITOR_PORT_TYPE, sizeof(monitor_port),
                           &err));
    CHECK(monitor != nullptr);
    if (argc == 2)
        wired_by_hand();
    inserted_and_ejected();
    cca_framework_free(framework);
    std::puts("all done");
    return 0;
}
