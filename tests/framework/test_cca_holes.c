/* SPDX-License-Identifier: BSD-3-Clause */
/* test_cca_holes.c: what another framework of this kind let pass, one test for each. The
 * first assertion of each test is the one that its behaviour would fail: a wrong wiring
 * accepted, a refusal passed over, something half-built left behind. */
#include "tests/lib/fw_assembly.h"

/* There: connect compares nothing, and the first call is a wild one. */
FW_TEST(hole_1_types_are_compared_by_connect)
{
    fw_pair();
    fw_fails(fw_connect("node", "old", "src", "out"), -EINVAL,
             "'out' of 'src' is fw.ValuePort/1, 'old' of 'node' wants fw.ValuePort/2");
    assert_int_equal(fw_connect("node", "wide", "src", "out"), -EINVAL);
    assert_int_equal(fw_connections(), 1);
}

/* There: the second connect succeeds, and then getPort finds no port. */
FW_TEST(hole_2_the_most_connections_hold)
{
    fw_pair();
    fw_fails(fw_connect("node", "in", "node", "out"), -EBUSY,
             "uses port 'in' of 'node' is connected already, to 'out' of 'src'");
    fw_done(fw_act("node", "get", "in"));
    fw_done(fw_act("node", "release", "in"));
}

/* There: "connection broken successfully", events, and the link stays. */
FW_TEST(hole_3_a_refused_disconnection_says_so)
{
    fw_pair();
    fw_done(fw_act("node", "get", "in"));
    fw_watch("node");
    fw_fails(fw_disconnect("node", "in", "src", "out"), -EBUSY,
             "'node' still holds its uses port 'in'");
    assert_null(strstr(fw.log, "disconnected"));
    assert_int_equal(fw_connections(), 1);
}

/* There: the user keeps a pointer to what is gone. */
FW_TEST(hole_4_a_removal_disconnects_or_is_refused)
{
    fw_pair();
    fw_done(fw_act("node", "get", "in"));
    fw_fails(fw_remove("src"), -EBUSY, "'node' still holds its uses port 'in'");
    fw_done(fw_act("node", "release", "in"));
    fw_done(fw_remove("src"));
    assert_int_equal(fw_act("node", "get", "in"), -1);
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_PORT_NOT_CONNECTED);
}

/* There: a failure in go or setServices ends the interpreter, with status 0. */
FW_TEST(hole_5_a_failure_of_a_component_comes_back)
{
    fw_pair();
    fw_act("node", "fail", "-33");
    fw_fails(fw_go("node"), -33,
             "'go' of 'node' returned -33: 'node': told to return -33");
    assert_int_equal(fw.err.exception, CCA_EXCEPTION_UNEXPECTED);
    setenv("FW_BROKEN", "early", 1);
    fw_fails(fw_create("FwBroken", "broken"), -ENODEV,
             "set_services of 'broken' (class 'FwBroken'): no such thing");
    unsetenv("FW_BROKEN");
    fw_act("node", "fail", "0");
    fw_done(fw_go("node"));
}

/* There: a flag stands for a count, so the first release lets go of both. */
FW_TEST(hole_6_gets_are_counted)
{
    fw_pair();
    fw_done(fw_act("node", "get", "in"));
    fw_done(fw_act("node", "get", "in"));
    fw_done(fw_act("node", "release", "in"));
    assert_int_equal(fw_disconnect("node", "in", "src", "out"), -EBUSY);
    fw_done(fw_act("node", "release", "in"));
    assert_int_equal(fw_act("node", "release", "in"), -EINVAL);
    fw_done(fw_disconnect("node", "in", "src", "out"));
}

/* There: the half-built instance stays under its name. */
FW_TEST(hole_7_a_half_built_instance_is_gone)
{
    setenv("FW_BROKEN", "late", 1); /* its ports are there already */
    assert_true(fw_create("FwBroken", "name") < 0);
    unsetenv("FW_BROKEN");
    assert_int_equal(fw_instances(1), 0);
    fw_done(fw_create("FwSource", "name"));
}

/* There: what a callback returns is passed over. Here the command fails, and what follows
 * it in a script is not run. */
FW_TEST(hole_8_a_failing_listener_stops_the_command)
{
    fw_done(fw_create("FwSource", "src"));
    fw_done(fw_create("FwNode", "node"));
    fw_act("node", "refuse", "1");
    fw_fails(fw_connect("node", "in", "src", "out"), -EACCES,
             "'node' refuses the connection of its port 'in': told to refuse connecting");
    assert_int_equal(fw_connections(), 0);
}

TESTS(NULL, NULL)
