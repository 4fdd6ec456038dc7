/* SPDX-License-Identifier: BSD-3-Clause */
/* A picture without an experiment: where its parts are, what is written, and no memory.
 */
#include <math.h>

#include "mastermind/picture/picture.h"
#include "tests/lib/fail_malloc.h"

/* Two boxes with ports, a word and a rest, with a loop, a circle and two arrows between
 * the same boxes. */
static void build(struct mm_picture *picture)
{
    struct mm_picture_node *node;
    struct mm_picture_edge *edge;

    mm_picture_init(picture, "try", "A & B", "<note>");
    node = mm_picture_node(picture, MM_NODE_BOX, "first", "Class", "one\ntwo\n");
    node->bars = 2;
    node->measured = .25;
    mm_picture_port(picture, "out", 1, "uses first.out");
    mm_picture_port(picture, "other", 1, "uses first.other");
    mm_picture_port(picture, "in", 0, "provides first.in");
    mm_picture_node(picture, MM_NODE_BOX, "second", "", "hover");
    mm_picture_port(picture, "in", 0, "provides second.in");
    mm_picture_node(picture, MM_NODE_WORD, "<word>", "", "hover");
    mm_picture_node(picture, MM_NODE_REST, "rest", "of 3", "hover");
    for (size_t port = 0; port < 2; port++) {
        edge = mm_picture_edge(picture, 0, 1, port ? "" : "1,234", "arrow");
        edge->from_port = port;
        edge->to_port = 0;
    }
    mm_picture_edge(picture, 1, 1, "7", "recursion")->weight = 1;
    mm_picture_edge(picture, 2, 0, "1", "begin");
    mm_picture_edge(picture, 1, 0, "2", "back");
    mm_picture_edge(picture, 1, 3, "3", "cut")->is_rest = 1;
    mm_picture_edge(picture, 3, 0, "4", "back from cut")->is_rest = 1;
}

static double distance(const struct mm_picture_point *point, double x, double y)
{
    return hypot(point->x - x, point->y - y);
}

TEST(arrows_begin_at_the_ports_that_they_name)
{
    struct mm_picture picture;
    const struct mm_picture_node *nodes;

    build(&picture);
    assert_int_equal(mm_picture_place(&picture, NULL), 0);
    nodes = picture.nodes;
    for (size_t port = 0; port < 2; port++) {
        const struct mm_picture_edge *edge = &picture.edges[port];
        const struct mm_picture_point *end = &edge->points[edge->point_count - 1];

        assert_int_equal(edge->point_count % 3, 1);
        assert_true(distance(edge->points, nodes[0].x + nodes[0].width,
                             nodes[0].y + nodes[0].ports[port].y) < 2);
        assert_true(distance(end, nodes[1].x, nodes[1].y + nodes[1].ports[0].y) < 12);
    }
    assert_true(picture.edges[2].is_back && picture.edges[4].is_back);
    assert_false(picture.edges[0].is_back || picture.edges[3].is_back);
    mm_picture_done(&picture);
}

static size_t count_text(const char *text, const char *part)
{
    size_t count = 0;

    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

TEST(shares_are_the_lengths_of_bars_and_none_is_no_bar)
{
    struct mm_picture picture;
    const char *const legend[] = {"a < b"};
    struct mm_picture_sheet sheet = {"title", "subtitle", legend, 1, 2};
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    build(&picture);
    assert_int_equal(mm_picture_place(&picture, NULL), 0);
    mm_picture_write(to, &sheet, &picture, 1);
    fclose(to);
    assert_int_equal(count_text(text, "class=\"measured\""), 2);  /* one in the legend */
    assert_int_equal(count_text(text, "class=\"predicted\""), 1); /* of the legend */
    assert_int_equal(count_text(text, ">25.0 %<"), 1);
    assert_int_equal(count_text(text, ">no model<"), 2);
    assert_int_equal(count_text(text, "<title>one&#10;two</title>"), 1);
    assert_int_equal(count_text(text, "A &#38; B"), 1);
    assert_int_equal(count_text(text, "&#60;word&#62;"), 1);
    assert_int_equal(count_text(text, "class=\"edge\""), 7);
    assert_int_equal(count_text(text, "class=\"line cut\""), 2);
    free(text);
    mm_picture_done(&picture);
}

TEST(a_picture_of_nothing_is_placed)
{
    struct mm_picture picture;

    mm_picture_init(&picture, "none", "", "");
    assert_int_equal(mm_picture_place(&picture, NULL), 0);
    mm_picture_done(&picture);
}

TEST(too_much_is_refused_at_once)
{
    struct mm_picture picture;
    struct cca_error err = {0};

    mm_picture_init(&picture, "many", "", "");
    for (size_t i = 0; i < 20001; i++)
        mm_picture_node(&picture, MM_NODE_BOX, "n", "", "");
    assert_int_equal(mm_picture_place(&picture, &err), -EFBIG);
    assert_non_null(strstr(err.text, "found 20001 boxes with 0 arrows, expected"));
    mm_picture_done(&picture);
}

/* Streams do without a buffer. */
TEST(no_memory_is_reported_or_not_needed)
{
    size_t reported = 0;

    failed = 1;
    for (long at = 0; failed; at++) {
        struct mm_picture picture;
        struct cca_error err = {0};
        int result;

        failed = 0;
        countdown = at;
        build(&picture);
        result = mm_picture_place(&picture, &err);
        countdown = -1;
        mm_picture_done(&picture);
        assert_true(result == 0 || (failed && result == -ENOMEM));
        reported += result != 0;
        assert_true(at < 500);
    }
    assert_true(reported > 40);
}

MEMORY_TESTS(NULL, NULL)
