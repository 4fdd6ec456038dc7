/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cca_services.c: parameters through the framework, properties, listeners, and what
 * a component is refused. */
#include "tests/lib/fw_assembly.h"

#include <pthread.h>

static int value_of(const char *port)
{
    struct fw_value_port *value = cca_framework_port(
        fw.framework, "src", port, FW_VALUE_TYPE, sizeof *value, fw_err());

    assert_non_null(value);
    cca_framework_release_port(fw.framework, "src", port, NULL);
    return value->value(value);
}

FW_TEST(parameters_reach_the_component)
{
    fw_pair();
    assert_int_equal(value_of("out"), 7);
    assert_int_equal(value_of("shy"), 7); /* "vanleer" */
    fw_done(fw_set("src", "n", "0x20"));
    fw_done(fw_set("src", "x", "12.75"));
    fw_done(fw_set("src", "limiter", "none"));
    assert_int_equal(value_of("out"), 32);
    assert_int_equal(value_of("single"), 12);
    assert_int_equal(value_of("shy"), 4);
    fw_done(fw_set("src", "on", "off"));
    assert_int_equal(value_of("shy"), 0);
}

FW_TEST(wrong_parameters_are_refused_with_words)
{
    fw_pair();
    fw_fails(fw_set("src", "n", "1e6"), -EINVAL,
             "parameter 'n' of 'src' is an integer, found '1e6'");
    fw_fails(fw_set("src", "n", "1000001"), -ERANGE,
             "parameter 'n' of 'src' lies between 0 and 1000000, found '1000001'");
    fw_fails(fw_set("src", "x", "-1"), -ERANGE,
             "parameter 'x' of 'src' is at least 0, found '-1'");
    fw_fails(
        fw_set("src", "limiter", "minmond"), -EINVAL,
        "parameter 'limiter' of 'src' is one of none|minmod|vanleer, found 'minmond'");
    fw_fails(fw_set("src", "limitr", "none"), -ENOENT,
             "'src' has no parameter 'limitr'; did you mean 'limiter'?");
    fw_fails(fw_set("node", "n", "1"), -ENOENT, "'node' has no provides port 'config'");
    fw_fails(
        cca_framework_set_parameter(fw.framework, "src", "cnofig", "n", "1", fw_err()),
        -ENOENT, "'src' has no provides port 'cnofig'; did you mean 'config'?");
    assert_int_equal(
        cca_framework_set_parameter(fw.framework, "src", "out", "n", "1", fw_err()),
        -EINVAL);
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_BAD_PORT_TYPE);
    assert_null(cca_framework_parameter(fw.framework, "src", "config", "m", fw_err()));
    assert_int_equal(fw.err.code, -ENOENT);
    assert_int_equal(value_of("out"), 7);
}

FW_TEST(the_parameter_port_lists_what_is_declared)
{
    struct parameter_port *port;

    fw_pair();
    port = cca_framework_parameters(fw.framework, "src", "config", fw_err());
    assert_non_null(port);
    assert_int_equal(port->count(port), 5);
    assert_string_equal(port->decl(port, 1)->name, "x");
    assert_string_equal(port->decl(port, 1)->unit, "s");
    assert_int_equal(port->decl(port, 4)->type, CCA_FLOAT);
    assert_int_equal(port->set(port, "part", "0.30000001192", fw_err()), 0);
    assert_string_equal(port->get(port, "part"), "0.3"); /* the same float */
    assert_int_equal(port->set(port, "part", "0.50000006", fw_err()), -ERANGE);
    assert_null(port->decl(port, 5));
    assert_string_equal(port->get(port, "x"), "0.5");
    assert_null(port->get(port, "y"));
    assert_int_equal(port->set(port, "x", "0.25", fw_err()), 0);
    assert_string_equal(cca_framework_parameter(fw.framework, "src", "config", "x", NULL),
                        "0.25");
    assert_null(cca_framework_parameters(fw.framework, "src", "out", fw_err()));
    assert_null(cca_framework_parameters(fw.framework, "node", "config", fw_err()));
}

FW_TEST(properties_name_the_port_and_its_limits)
{
    fw_pair();
    fw_watch("node");
    assert_int_equal(fw_act("node", "properties", "in"), 11);
    assert_int_equal(fw_act("node", "properties", "many"), 10);
    assert_int_equal(fw_act("node", "properties", "none"), -ENOENT);
    fw_assert_log("node in fw.ValuePort/1 \nnode many fw.ValuePort/1 \n");
}

FW_TEST(wrong_dynamic_ports_are_refused)
{
    fw_pair();
    fw_fails(fw_act("node", "register-wrong", "w"), -EINVAL,
             "port 'w' of 'node' wants from 3 to 2 connections");
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_BAD_PROPERTIES);
    fw_fails(fw_act("node", "register-typeless", "w"), -EINVAL,
             "port 'w' of 'node' has no type");
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_BAD_PORT_TYPE);
    assert_int_equal(fw_act("node", "register-service", "w"), -EINVAL);
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_BAD_PORT_TYPE);
    assert_int_equal(fw_act("node", "drop", "in"), -ENOENT);
    assert_int_equal(fw_act("node", "get", "none"), -1);
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_PORT_NOT_DEFINED);
}

FW_TEST(an_own_provides_port_can_be_got)
{
    fw_pair();
    fw_done(fw_act("node", "get", "out"));
    fw_done(fw_act("node", "release", "out"));
}

FW_TEST(one_type_of_event_can_be_heard)
{
    fw_pair();
    fw_watch("node");
    assert_int_equal(fw_act("node", "unlisten", "0"), 0);
    assert_int_equal(fw_act("node", "unlisten", "0"), -ENOENT);
    assert_int_equal(fw_act("node", "listen", "2"), 0);
    assert_int_equal(fw_act("node", "unlisten", "3"), -ENOENT);
    fw_done(fw_connect("node", "many", "src", "out"));
    fw_done(fw_disconnect("node", "many", "src", "out"));
    fw_assert_log("node connected many src\n");
    assert_int_equal(fw_act("node", "unlisten", "2"), 0);
    fw_done(fw_connect("node", "many", "src", "out"));
    fw_assert_log("");
}

FW_TEST(a_main_program_asks_for_the_right_type)
{
    fw_pair();
    assert_null(cca_framework_port(fw.framework, "src", "out", FW_VALUE2_TYPE,
                                   sizeof(struct fw_value_port), fw_err()));
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_BAD_PORT_TYPE);
    assert_null(
        cca_framework_port(fw.framework, "src", "out", FW_VALUE_TYPE, 3, fw_err()));
    assert_null(
        cca_framework_port(fw.framework, "src", "in", FW_VALUE_TYPE, 3, fw_err()));
    assert_null(cca_framework_port(fw.framework, "scr", "in", FW_VALUE_TYPE, 3, NULL));
    assert_int_equal(cca_framework_release_port(fw.framework, "scr", "in", NULL),
                     -ENOENT);
}

/* Calls methods of its ports again and again: those get ports, read parameters, release.
 */
static void *call_often(void *context)
{
    struct fw_value_port *node = context;
    uintptr_t wrong = 0;

    for (int i = 0; i < 2000; i++)
        wrong += node->value(node) != 8;
    return (void *)wrong;
}

FW_TEST(methods_of_ports_are_for_any_thread)
{
    enum { THREADS = 4 };
    struct fw_value_port *value;
    pthread_t threads[THREADS];
    void *wrong;

    fw_pair();
    value = cca_framework_port(fw.framework, "node", "out", FW_VALUE_TYPE, sizeof *value,
                               fw_err());
    assert_non_null(value);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, value), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    cca_framework_release_port(fw.framework, "node", "out", NULL);
    fw_done(fw_disconnect("node", "in", "src", "out")); /* none is held */
}

FW_TEST(builders_insert_and_eject)
{
    struct builder_port *builder;

    fw_pair();
    builder = cca_framework_builder(fw.framework);
    fw_done(fw_create("FwSource", "src_out_proxy"));
    fw_done(builder->insert(builder, "src", "out", NULL, fw_err()));
    fw_fails(builder->insert(builder, "src", "out", NULL, fw_err()), -EEXIST,
             "'out' of 'src' has the interposer 'src_out_proxy2' already");
    assert_int_equal(value_of("out"), 1007);
    fw_done(builder->eject(builder, "src", "out", fw_err()));
    assert_int_equal(value_of("out"), 7);
}

TESTS(NULL, NULL)
