/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cca_services.c: parameters through the framework, properties, listeners, and what
 * a component is refused. */
#include "tests/lib/fw_assembly.h"

#include <pthread.h>

static const struct cca_framework_options plain = {0};

static int value_of(struct fw *fw, const char *port)
{
    struct fw_value_port *value = cca_framework_port(
        fw->framework, "src", port, FW_VALUE_TYPE, sizeof *value, fw_err(fw));

    assert_non_null(value);
    cca_framework_release_port(fw->framework, "src", port, NULL);
    return value->value(value);
}

TEST(parameters_reach_the_component)
{
    struct fw fw;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    assert_int_equal(value_of(&fw, "out"), 7);
    assert_int_equal(value_of(&fw, "shy"), 7); /* "vanleer" */
    fw_assert_done(&fw, fw_set(&fw, "src", "n", "0x20"));
    fw_assert_done(&fw, fw_set(&fw, "src", "x", "12.75"));
    fw_assert_done(&fw, fw_set(&fw, "src", "limiter", "none"));
    assert_int_equal(value_of(&fw, "out"), 32);
    assert_int_equal(value_of(&fw, "single"), 12);
    assert_int_equal(value_of(&fw, "shy"), 4);
    fw_assert_done(&fw, fw_set(&fw, "src", "on", "off"));
    assert_int_equal(value_of(&fw, "shy"), 0);
    fw_end(&fw);
}

TEST(wrong_parameters_are_refused_with_words)
{
    struct fw fw;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    fw_assert_fails(&fw, fw_set(&fw, "src", "n", "1e6"), -EINVAL,
                    "parameter 'n' of 'src' is an integer, found '1e6'");
    fw_assert_fails(&fw, fw_set(&fw, "src", "n", "1000001"), -ERANGE,
                    "parameter 'n' of 'src' lies between 0 and 1000000, found '1000001'");
    fw_assert_fails(&fw, fw_set(&fw, "src", "x", "-1"), -ERANGE,
                    "parameter 'x' of 'src' is at least 0, found '-1'");
    fw_assert_fails(
        &fw, fw_set(&fw, "src", "limiter", "minmond"), -EINVAL,
        "parameter 'limiter' of 'src' is one of none|minmod|vanleer, found 'minmond'");
    fw_assert_fails(&fw, fw_set(&fw, "src", "limitr", "none"), -ENOENT,
                    "'src' has no parameter 'limitr'; did you mean 'limiter'?");
    fw_assert_fails(&fw, fw_set(&fw, "node", "n", "1"), -ENOENT,
                    "'node' has no provides port 'config'");
    fw_assert_fails(
        &fw,
        cca_framework_set_parameter(fw.framework, "src", "cnofig", "n", "1", fw_err(&fw)),
        -ENOENT, "'src' has no provides port 'cnofig'; did you mean 'config'?");
    assert_int_equal(
        cca_framework_set_parameter(fw.framework, "src", "out", "n", "1", fw_err(&fw)),
        -EINVAL);
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_BAD_PORT_TYPE);
    assert_null(cca_framework_parameter(fw.framework, "src", "config", "m", fw_err(&fw)));
    assert_int_equal(fw.err.code, -ENOENT);
    assert_int_equal(value_of(&fw, "out"), 7);
    fw_end(&fw);
}

TEST(the_parameter_port_lists_what_is_declared)
{
    struct fw fw;
    struct parameter_port *port;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    port = cca_framework_parameters(fw.framework, "src", "config", fw_err(&fw));
    assert_non_null(port);
    assert_int_equal(port->count(port), 5);
    assert_string_equal(port->decl(port, 1)->name, "x");
    assert_string_equal(port->decl(port, 1)->unit, "s");
    assert_int_equal(port->decl(port, 4)->type, CCA_FLOAT);
    assert_int_equal(port->set(port, "part", "0.30000001192", fw_err(&fw)), 0);
    assert_string_equal(port->get(port, "part"), "0.3"); /* the same float */
    assert_int_equal(port->set(port, "part", "0.50000006", fw_err(&fw)), -ERANGE);
    assert_null(port->decl(port, 5));
    assert_string_equal(port->get(port, "x"), "0.5");
    assert_null(port->get(port, "y"));
    assert_int_equal(port->set(port, "x", "0.25", fw_err(&fw)), 0);
    assert_string_equal(cca_framework_parameter(fw.framework, "src", "config", "x", NULL),
                        "0.25");
    assert_null(cca_framework_parameters(fw.framework, "src", "out", fw_err(&fw)));
    assert_null(cca_framework_parameters(fw.framework, "node", "config", fw_err(&fw)));
    fw_end(&fw);
}

TEST(properties_name_the_port_and_its_limits)
{
    struct fw fw;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    fw_watch(&fw, "node");
    assert_int_equal(fw_act(&fw, "node", "properties", "in"), 11);
    assert_int_equal(fw_act(&fw, "node", "properties", "many"), 10);
    assert_int_equal(fw_act(&fw, "node", "properties", "none"), -ENOENT);
    fw_assert_log(&fw, "node in fw.ValuePort/1 \nnode many fw.ValuePort/1 \n");
    fw_end(&fw);
}

TEST(wrong_dynamic_ports_are_refused)
{
    struct fw fw;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    fw_assert_fails(&fw, fw_act(&fw, "node", "register-wrong", "w"), -EINVAL,
                    "port 'w' of 'node' wants from 3 to 2 connections");
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_BAD_PROPERTIES);
    fw_assert_fails(&fw, fw_act(&fw, "node", "register-typeless", "w"), -EINVAL,
                    "port 'w' of 'node' has no type");
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_BAD_PORT_TYPE);
    assert_int_equal(fw_act(&fw, "node", "register-service", "w"), -EINVAL);
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_BAD_PORT_TYPE);
    assert_int_equal(fw_act(&fw, "node", "drop", "in"), -ENOENT);
    assert_int_equal(fw_act(&fw, "node", "get", "none"), -1);
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_PORT_NOT_DEFINED);
    fw_end(&fw);
}

TEST(an_own_provides_port_can_be_got)
{
    struct fw fw;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    fw_assert_done(&fw, fw_act(&fw, "node", "get", "out"));
    fw_assert_done(&fw, fw_act(&fw, "node", "release", "out"));
    fw_end(&fw);
}

TEST(one_type_of_event_can_be_heard)
{
    struct fw fw;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    fw_watch(&fw, "node");
    assert_int_equal(fw_act(&fw, "node", "unlisten", "0"), 0);
    assert_int_equal(fw_act(&fw, "node", "unlisten", "0"), -ENOENT);
    assert_int_equal(fw_act(&fw, "node", "listen", "2"), 0);
    assert_int_equal(fw_act(&fw, "node", "unlisten", "3"), -ENOENT);
    fw_assert_done(&fw, fw_connect(&fw, "node", "many", "src", "out"));
    fw_assert_done(&fw, fw_disconnect(&fw, "node", "many", "src", "out"));
    fw_assert_log(&fw, "node connected many src\n");
    assert_int_equal(fw_act(&fw, "node", "unlisten", "2"), 0);
    fw_assert_done(&fw, fw_connect(&fw, "node", "many", "src", "out"));
    fw_assert_log(&fw, "");
    fw_end(&fw);
}

TEST(a_main_program_asks_for_the_right_type)
{
    struct fw fw;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    assert_null(cca_framework_port(fw.framework, "src", "out", FW_VALUE2_TYPE,
                                   sizeof(struct fw_value_port), fw_err(&fw)));
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_BAD_PORT_TYPE);
    assert_null(
        cca_framework_port(fw.framework, "src", "out", FW_VALUE_TYPE, 3, fw_err(&fw)));
    assert_null(
        cca_framework_port(fw.framework, "src", "in", FW_VALUE_TYPE, 3, fw_err(&fw)));
    assert_null(cca_framework_port(fw.framework, "scr", "in", FW_VALUE_TYPE, 3, NULL));
    assert_int_equal(cca_framework_release_port(fw.framework, "scr", "in", NULL),
                     -ENOENT);
    fw_end(&fw);
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

TEST(methods_of_ports_are_for_any_thread)
{
    enum { THREADS = 4 };
    struct fw fw;
    struct fw_value_port *value;
    pthread_t threads[THREADS];
    void *wrong;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    value = cca_framework_port(fw.framework, "node", "out", FW_VALUE_TYPE, sizeof *value,
                               fw_err(&fw));
    assert_non_null(value);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call_often, value), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    cca_framework_release_port(fw.framework, "node", "out", NULL);
    fw_assert_done(&fw,
                   fw_disconnect(&fw, "node", "in", "src", "out")); /* none is held */
    fw_end(&fw);
}

TEST(builders_insert_and_eject)
{
    struct fw fw;
    struct builder_port *builder;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    builder = cca_framework_builder(fw.framework);
    fw_assert_done(&fw, fw_create(&fw, "FwSource", "src_out_proxy"));
    fw_assert_done(&fw, builder->insert(builder, "src", "out", NULL, fw_err(&fw)));
    fw_assert_fails(&fw, builder->insert(builder, "src", "out", NULL, fw_err(&fw)),
                    -EEXIST,
                    "'out' of 'src' has the interposer 'src_out_proxy2' already");
    assert_int_equal(value_of(&fw, "out"), 1007);
    fw_assert_done(&fw, builder->eject(builder, "src", "out", fw_err(&fw)));
    assert_int_equal(value_of(&fw, "out"), 7);
    fw_end(&fw);
}

TESTS(NULL, NULL)
