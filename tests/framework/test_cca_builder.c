/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cca_builder.c: what builders ask for beyond the commands of a script: times to
 * wait, properties, ports by type, several connections at once. */
#include "tests/lib/fw_assembly.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

static const struct cca_framework_options plain = {0};

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

TEST(a_disconnection_waits_for_a_release)
{
    struct fw fw;
    struct builder_port *builder;
    struct holder holder = {0};
    pthread_t thread;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    builder = cca_framework_builder(fw.framework);
    holder.probe = fw_probe(&fw, "node");
    fw_assert_done(&fw, fw_act(&fw, "node", "get", "in"));
    pthread_create(&thread, NULL, let_go, &holder);
    fw_assert_done(&fw, builder->disconnect(builder, "node", "in", "src", "out", INFINITY,
                                            fw_err(&fw)));
    assert_int_equal(holder.released, 1);
    pthread_join(thread, NULL);
    assert_int_equal(fw_connections(&fw), 0);
    fw_end(&fw);
}

TEST(a_removal_waits_for_a_release)
{
    struct fw fw;
    struct builder_port *builder;
    struct holder holder = {0};
    pthread_t thread;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    builder = cca_framework_builder(fw.framework);
    holder.probe = fw_probe(&fw, "node");
    fw_assert_done(&fw, fw_act(&fw, "node", "get", "in"));
    pthread_create(&thread, NULL, let_go, &holder);
    fw_assert_done(&fw, builder->destroy_instance(builder, "src", 3600, fw_err(&fw)));
    assert_int_equal(holder.released, 1);
    pthread_join(thread, NULL);
    assert_int_equal(fw_instances(&fw, 0), 1);
    fw_end(&fw);
}

TEST(a_time_that_is_over_changes_nothing)
{
    struct fw fw;
    struct builder_port *builder;
    struct timespec before, after;
    double waited_s;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    builder = cca_framework_builder(fw.framework);
    fw_assert_done(&fw, fw_act(&fw, "node", "get", "in"));
    clock_gettime(CLOCK_MONOTONIC, &before);
    fw_assert_fails(
        &fw, builder->disconnect(builder, "node", "in", "src", "out", 0.03, fw_err(&fw)),
        -EBUSY, "'node' still holds its uses port 'in'");
    clock_gettime(CLOCK_MONOTONIC, &after);
    waited_s = (double)(after.tv_sec - before.tv_sec) +
               1e-9 * (double)(after.tv_nsec - before.tv_nsec);
    assert_true(waited_s >= 0.03);
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_USES_PORT_NOT_RELEASED);
    assert_int_equal(builder->destroy_instance(builder, "src", 0.002, fw_err(&fw)),
                     -EBUSY);
    assert_int_equal(fw_connections(&fw), 1);
    /* The patience was that command's alone. */
    assert_int_equal(fw_disconnect(&fw, "node", "in", "src", "out"), -EBUSY);
    fw_assert_fails(&fw, builder->destroy_instance(builder, "src", -1, fw_err(&fw)),
                    -EINVAL, "a timeout is 0 or more seconds, found -1");
    assert_int_equal(
        builder->disconnect(builder, "node", "in", "src", "out", NAN, fw_err(&fw)),
        -EINVAL);
    assert_int_equal(builder->disconnect_all(builder, "node", "src", -0.5, fw_err(&fw)),
                     -EINVAL);
    fw_assert_done(&fw, fw_act(&fw, "node", "release", "in"));
    fw_end(&fw);
}

TEST(all_connections_of_two_go_or_none)
{
    struct fw fw;
    struct builder_port *builder;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    fw_assert_done(&fw, fw_create(&fw, "FwNode", "other"));
    fw_assert_done(&fw, fw_connect(&fw, "other", "in", "node", "out"));
    fw_assert_done(&fw, fw_connect(&fw, "node", "many", "other", "out"));
    fw_assert_done(&fw, fw_connect(&fw, "node", "many", "node", "out"));
    builder = cca_framework_builder(fw.framework);
    fw_act(&fw, "node", "refuse", "3");
    assert_int_equal(builder->disconnect_all(builder, "other", "node", 0, fw_err(&fw)),
                     -EACCES);
    assert_int_equal(fw_connections(&fw), 4);
    fw_act(&fw, "node", "accept", "3");
    fw_assert_done(&fw,
                   builder->disconnect_all(builder, "other", "node", 0, fw_err(&fw)));
    assert_int_equal(fw_connections(&fw), 2);
    fw_assert_done(&fw, builder->disconnect_all(builder, "node", "node", 0, fw_err(&fw)));
    assert_int_equal(fw_connections(&fw), 1);
    fw_assert_done(&fw, builder->disconnect_all(builder, "other", "src", 0, fw_err(&fw)));
    assert_int_equal(builder->disconnect_all(builder, "other", "scr", 0, fw_err(&fw)),
                     -ENOENT);
    fw_end(&fw);
}

TEST(instances_ports_and_connections_have_properties)
{
    struct fw fw;
    struct builder_port *builder;
    struct builder_instance item;
    struct cca_typemap *wanted = cca_typemap_new(), *map;

    fw_begin(&fw, plain);
    builder = cca_framework_builder(fw.framework);
    assert_int_equal(cca_typemap_put_string(wanted, "where", "left"), 0);
    fw_assert_done(
        &fw, builder->create_instance(builder, NULL, "FwSource", wanted, fw_err(&fw)));
    cca_typemap_free(wanted);
    map = builder->properties(builder, "FwSource0", fw_err(&fw));
    assert_string_equal(cca_typemap_get_string(map, "where", ""), "left");
    assert_int_equal(builder->find(builder, "FwSource0", &item), 0);
    assert_string_equal(item.cls->name, "FwSource");
    assert_int_equal(builder->find(builder, "FwSource1", &item), -ENOENT);
    assert_null(builder->properties(builder, "FwSource1", fw_err(&fw)));

    fw_pair(&fw);
    map = builder->port_properties(builder, "node", "in", fw_err(&fw));
    assert_string_equal(cca_typemap_get_string(map, "cca.portName", ""), "in");
    assert_null(builder->port_properties(builder, "node", "ni", fw_err(&fw)));
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_PORT_NOT_DEFINED);
    map =
        builder->connection_properties(builder, "node", "in", "src", "out", fw_err(&fw));
    assert_int_equal(cca_typemap_put_long(map, "weight", 12), 0);
    map =
        builder->connection_properties(builder, "node", "in", "src", "out", fw_err(&fw));
    assert_int_equal(cca_typemap_get_long(map, "weight", 0), 12);
    assert_null(builder->connection_properties(builder, "node", "many", "src", "out",
                                               fw_err(&fw)));
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_PORT_NOT_CONNECTED);
    /* They go with the connection. */
    fw_assert_done(&fw, fw_disconnect(&fw, "node", "in", "src", "out"));
    fw_assert_done(&fw, fw_connect(&fw, "node", "in", "src", "out"));
    map =
        builder->connection_properties(builder, "node", "in", "src", "out", fw_err(&fw));
    assert_int_equal(cca_typemap_get_long(map, "weight", 0), 0);
    fw_end(&fw);
}

TEST(ports_are_found_by_type)
{
    struct fw fw;
    struct builder_port *builder;
    const char *instance, *port;

    fw_begin(&fw, plain);
    fw_pair(&fw);
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
    fw_end(&fw);
}

TESTS(NULL, NULL)
