/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cca_holes.c: what another framework of this kind let pass, one test for each. The
 * first assertion of each test is the one that its behaviour would fail: a wrong wiring
 * accepted, a refusal passed over, something half-built left behind. */
#include "tests/lib/fw_assembly.h"

static const struct cca_framework_options plain = {0};

/* There: connect compares nothing, and the first call is a wild one. */
TEST(hole_1_types_are_compared_by_connect)
{
    struct fw fw;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    fw_assert_fails(
        &fw, fw_connect(&fw, "node", "old", "src", "out"), -EINVAL,
        "'out' of 'src' is fw.ValuePort/1, 'old' of 'node' wants fw.ValuePort/2");
    assert_int_equal(fw_connect(&fw, "node", "wide", "src", "out"), -EINVAL);
    assert_int_equal(fw_connections(&fw), 1);
    fw_end(&fw);
}

/* There: the second connect succeeds, and then getPort finds no port. */
TEST(hole_2_the_most_connections_hold)
{
    struct fw fw;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    fw_assert_fails(&fw, fw_connect(&fw, "node", "in", "node", "out"), -EBUSY,
                    "uses port 'in' of 'node' is connected already, to 'out' of 'src'");
    fw_assert_done(&fw, fw_act(&fw, "node", "get", "in"));
    fw_assert_done(&fw, fw_act(&fw, "node", "release", "in"));
    fw_end(&fw);
}

/* There: "connection broken successfully", events, and the link stays. */
TEST(hole_3_a_refused_disconnection_says_so)
{
    struct fw fw;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    fw_assert_done(&fw, fw_act(&fw, "node", "get", "in"));
    fw_watch(&fw, "node");
    fw_assert_fails(&fw, fw_disconnect(&fw, "node", "in", "src", "out"), -EBUSY,
                    "'node' still holds its uses port 'in'");
    assert_null(strstr(fw.log, "disconnected"));
    assert_int_equal(fw_connections(&fw), 1);
    fw_end(&fw);
}

/* There: the user keeps a pointer to what is gone. */
TEST(hole_4_a_removal_disconnects_or_is_refused)
{
    struct fw fw;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    fw_assert_done(&fw, fw_act(&fw, "node", "get", "in"));
    fw_assert_fails(&fw, fw_remove(&fw, "src"), -EBUSY,
                    "'node' still holds its uses port 'in'");
    fw_assert_done(&fw, fw_act(&fw, "node", "release", "in"));
    fw_assert_done(&fw, fw_remove(&fw, "src"));
    assert_int_equal(fw_act(&fw, "node", "get", "in"), -1);
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_PORT_NOT_CONNECTED);
    fw_end(&fw);
}

/* There: a failure in go or setServices ends the interpreter, with status 0. */
TEST(hole_5_a_failure_of_a_component_comes_back)
{
    struct fw fw;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    fw_act(&fw, "node", "fail", "-33");
    fw_assert_fails(&fw, fw_go(&fw, "node"), -33,
                    "'go' of 'node' returned -33: 'node': told to return -33");
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_UNEXPECTED);
    setenv("FW_BROKEN", "early", 1);
    fw_assert_fails(&fw, fw_create(&fw, "FwBroken", "broken"), -ENODEV,
                    "set_services of 'broken' (class 'FwBroken'): no such thing");
    unsetenv("FW_BROKEN");
    fw_act(&fw, "node", "fail", "0");
    fw_assert_done(&fw, fw_go(&fw, "node"));
    fw_end(&fw);
}

/* There: a flag stands for a count, so the first release lets go of both. */
TEST(hole_6_gets_are_counted)
{
    struct fw fw;

    fw_begin(&fw, plain);
    fw_pair(&fw);
    fw_assert_done(&fw, fw_act(&fw, "node", "get", "in"));
    fw_assert_done(&fw, fw_act(&fw, "node", "get", "in"));
    fw_assert_done(&fw, fw_act(&fw, "node", "release", "in"));
    assert_int_equal(fw_disconnect(&fw, "node", "in", "src", "out"), -EBUSY);
    fw_assert_done(&fw, fw_act(&fw, "node", "release", "in"));
    assert_int_equal(fw_act(&fw, "node", "release", "in"), -EINVAL);
    fw_assert_done(&fw, fw_disconnect(&fw, "node", "in", "src", "out"));
    fw_end(&fw);
}

/* There: the half-built instance stays under its name. */
TEST(hole_7_a_half_built_instance_is_gone)
{
    struct fw fw;

    fw_begin(&fw, plain);
    setenv("FW_BROKEN", "late", 1); /* its ports are there already */
    assert_true(fw_create(&fw, "FwBroken", "name") < 0);
    unsetenv("FW_BROKEN");
    assert_int_equal(fw_instances(&fw, 1), 0);
    fw_assert_done(&fw, fw_create(&fw, "FwSource", "name"));
    fw_end(&fw);
}

/* There: what a callback returns is passed over. Here the command fails, and what follows
 * it in a script is not run. */
TEST(hole_8_a_failing_listener_stops_the_command)
{
    struct fw fw;

    fw_begin(&fw, plain);
    fw_assert_done(&fw, fw_create(&fw, "FwSource", "src"));
    fw_assert_done(&fw, fw_create(&fw, "FwNode", "node"));
    fw_act(&fw, "node", "refuse", "1");
    fw_assert_fails(
        &fw, fw_connect(&fw, "node", "in", "src", "out"), -EACCES,
        "'node' refuses the connection of its port 'in': told to refuse connecting");
    assert_int_equal(fw_connections(&fw), 0);
    fw_end(&fw);
}

TESTS(NULL, NULL)
