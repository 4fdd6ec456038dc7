/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cca_builder.c: what builders ask for beyond the commands of a script: times to
 * wait, properties, ports by type, several connections at once. */
/* lane: alone, it measures time */
#include "tests/lib/fw_assembly.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

/* A thread of a component that gives `in` back some time later. */
struct holder {
    struct fw_probe_port *probe;
    int released; /* not atomic: who sees the port given back sees this */
};

static void *let_go(void *context)
{
    struct holder *holder = context;

    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    holder->released = 1;
    holder->probe->act(holder->probe, "release", "in", NULL);
    return NULL;
}

FW_TEST(a_disconnection_waits_for_a_release)
{
    struct builder_port *builder;
    struct holder holder = {0};
    pthread_t thread;

    fw_pair();
    builder = cca_framework_builder(fw.framework);
    holder.probe = fw_probe("node");
    fw_done(fw_act("node", "get", "in"));
    pthread_create(&thread, NULL, let_go, &holder);
    fw_done(builder->disconnect(builder, "node", "in", "src", "out", INFINITY, fw_err()));
    assert_int_equal(holder.released, 1);
    pthread_join(thread, NULL);
    assert_int_equal(fw_connections(), 0);
}

FW_TEST(a_removal_waits_for_a_release)
{
    struct builder_port *builder;
    struct holder holder = {0};
    pthread_t thread;

    fw_pair();
    builder = cca_framework_builder(fw.framework);
    holder.probe = fw_probe("node");
    fw_done(fw_act("node", "get", "in"));
    pthread_create(&thread, NULL, let_go, &holder);
    fw_done(builder->destroy_instance(builder, "src", 3600, fw_err()));
    assert_int_equal(holder.released, 1);
    pthread_join(thread, NULL);
    assert_int_equal(fw_instances(0), 1);
}

FW_TEST(a_time_that_is_over_changes_nothing)
{
    struct builder_port *builder;
    struct timespec before, after;
    double waited_s;

    fw_pair();
    builder = cca_framework_builder(fw.framework);
    fw_done(fw_act("node", "get", "in"));
    clock_gettime(CLOCK_MONOTONIC, &before);
    fw_fails(builder->disconnect(builder, "node", "in", "src", "out", 0.03, fw_err()),
             -EBUSY, "'node' still holds its uses port 'in'");
    clock_gettime(CLOCK_MONOTONIC, &after);
    waited_s = (double)(after.tv_sec - before.tv_sec) +
               1e-9 * (double)(after.tv_nsec - before.tv_nsec);
    assert_true(waited_s >= 0.03);
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_USES_PORT_NOT_RELEASED);
    assert_int_equal(builder->destroy_instance(builder, "src", 0.002, fw_err()), -EBUSY);
    assert_int_equal(fw_connections(), 1);
    /* The patience was that command's alone. */
    assert_int_equal(fw_disconnect("node", "in", "src", "out"), -EBUSY);
    fw_fails(builder->destroy_instance(builder, "src", -1, fw_err()), -EINVAL,
             "a timeout is 0 or more seconds, found -1");
    assert_int_equal(
        builder->disconnect(builder, "node", "in", "src", "out", NAN, fw_err()), -EINVAL);
    assert_int_equal(builder->disconnect_all(builder, "node", "src", -0.5, fw_err()),
                     -EINVAL);
    fw_done(fw_act("node", "release", "in"));
}

FW_TEST(all_connections_of_two_go_or_none)
{
    struct builder_port *builder;

    fw_pair();
    fw_done(fw_create("FwNode", "other"));
    fw_done(fw_connect("other", "in", "node", "out"));
    fw_done(fw_connect("node", "many", "other", "out"));
    fw_done(fw_connect("node", "many", "node", "out"));
    builder = cca_framework_builder(fw.framework);
    fw_act("node", "refuse", "3");
    assert_int_equal(builder->disconnect_all(builder, "other", "node", 0, fw_err()),
                     -EACCES);
    assert_int_equal(fw_connections(), 4);
    fw_act("node", "accept", "3");
    fw_done(builder->disconnect_all(builder, "other", "node", 0, fw_err()));
    assert_int_equal(fw_connections(), 2);
    fw_done(builder->disconnect_all(builder, "node", "node", 0, fw_err()));
    assert_int_equal(fw_connections(), 1);
    fw_done(builder->disconnect_all(builder, "other", "src", 0, fw_err()));
    assert_int_equal(builder->disconnect_all(builder, "other", "scr", 0, fw_err()),
                     -ENOENT);
}

TEST(instances_ports_and_connections_have_properties)
{
    struct builder_port *builder;
    struct builder_instance item;
    struct cca_typemap *wanted = cca_typemap_new(), *map;

    fw_begin(plain);
    builder = cca_framework_builder(fw.framework);
    assert_int_equal(cca_typemap_put_string(wanted, "where", "left"), 0);
    fw_done(builder->create_instance(builder, NULL, "FwSource", wanted, fw_err()));
    cca_typemap_free(wanted);
    map = builder->properties(builder, "FwSource0", fw_err());
    assert_string_equal(cca_typemap_get_string(map, "where", ""), "left");
    assert_int_equal(builder->find(builder, "FwSource0", &item), 0);
    assert_string_equal(item.cls->name, "FwSource");
    assert_int_equal(builder->find(builder, "FwSource1", &item), -ENOENT);
    assert_null(builder->properties(builder, "FwSource1", fw_err()));

    fw_pair();
    map = builder->port_properties(builder, "node", "in", fw_err());
    assert_string_equal(cca_typemap_get_string(map, "cca.portName", ""), "in");
    assert_null(builder->port_properties(builder, "node", "ni", fw_err()));
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_PORT_NOT_DEFINED);
    map = builder->connection_properties(builder, "node", "in", "src", "out", fw_err());
    assert_int_equal(cca_typemap_put_long(map, "weight", 12), 0);
    map = builder->connection_properties(builder, "node", "in", "src", "out", fw_err());
    assert_int_equal(cca_typemap_get_long(map, "weight", 0), 12);
    assert_null(
        builder->connection_properties(builder, "node", "many", "src", "out", fw_err()));
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_PORT_NOT_CONNECTED);
    /* They go with the connection. */
    fw_done(fw_disconnect("node", "in", "src", "out"));
    fw_done(fw_connect("node", "in", "src", "out"));
    map = builder->connection_properties(builder, "node", "in", "src", "out", fw_err());
    assert_int_equal(cca_typemap_get_long(map, "weight", 0), 0);
    fw_end();
}

FW_TEST(ports_are_found_by_type)
{
    struct builder_port *builder;
    const char *instance, *port;

    fw_pair();
    builder = cca_framework_builder(fw.framework);
    assert_int_equal(builder->providing_type(builder, FW_PROBE_TYPE, 0, &instance, &port),
                     0);
    assert_string_equal(instance, "node");
    assert_string_equal(port, "probe");
    assert_int_equal(builder->providing_type(builder, FW_PROBE_TYPE, 1, &instance, &port),
                     -ENOENT);
    assert_int_equal(builder->using_type(builder, FW_VALUE_TYPE, 1, &instance, &port), 0);
    assert_string_equal(instance, "node");
    assert_string_equal(port, "many");
    assert_int_equal(builder->using_type(builder, FW_PROBE_TYPE, 0, &instance, &port),
                     -ENOENT);
}

TESTS(NULL, NULL)
