/* SPDX-License-Identifier: BSD-3-Clause */
/* Traverser, Navigator, ContentHandler: each with the other two exchanged. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "activity/walk/walk.h"
#include "tests/lib/test.h"

/* --- A handler that writes down where it is: kinds by letter, in parentheses. --- */

struct notes {
    char text[4000];
    size_t used;
    int left; /* nodes until it has enough; -1: never */
};

static void note(struct notes *n, const char *text)
{
    n->used += (size_t)snprintf(n->text + n->used, sizeof n->text - n->used, "%s", text);
    assert_true(n->used < sizeof n->text);
}

static int note_enter(void *context, const struct act_node *node, struct cca_error *err)
{
    static const char letters[] = "MSGTFALEBCs";
    const char letter[] = {letters[node->kind], '\0'};
    struct notes *n = context;

    if (n->left == 0)
        return cca_error_set(err, -E2BIG, "enough");
    n->left -= n->left > 0;
    note(n, letter);
    if (node->kind == ACT_NODE_ELEMENT && node->element->name)
        note(n, node->element->name);
    if (node->kind == ACT_NODE_ACTIVITY)
        note(n, node->activity->name);
    note(n, "(");
    return 0;
}

static int note_leave(void *context, const struct act_node *node, struct cca_error *err)
{
    (void)node;
    (void)err;
    note(context, ")");
    return 0;
}

static const char text[] =
    "model m global long g cost F() = 1.5 "
    "activity Main { local long n = 1 "
    "action X cost F() do { g = 1; if g > 0 { n = 2; } } "
    "if g == 1 { call S } elif g == 2 { } else { action Y cost 1 } "
    "loop i = 1..2 { action Z cost 1 } call S } "
    "activity S { barrier B }";

static void walk_text(struct act_navigator (*make)(const struct act_model *),
                      const char *expected)
{
    struct cca_error err = {0};
    struct act_model *m = act_model_read("m.act", text, strlen(text), &err);
    struct act_navigator navigator = make(m);
    struct notes notes = {.left = -1};
    const struct act_content_handler handler = {&notes, note_enter, note_leave};

    assert_non_null(m);
    assert_non_null(navigator.context);
    assert_int_equal(act_traverser_usual.walk(NULL, &navigator, &handler, &err), 0);
    assert_string_equal(notes.text, expected);
    /* It is back where it began, and can begin again. */
    assert_int_equal(navigator.current(navigator.context)->kind, ACT_NODE_MODEL);
    assert_int_equal(navigator.up(navigator.context), 0);
    assert_int_equal(navigator.along(navigator.context), 0);
    notes = (struct notes){.left = 5};
    assert_int_equal(act_traverser_usual.walk(NULL, &navigator, &handler, &err), -E2BIG);
    act_navigator_free(&navigator);
    assert_null(navigator.context);
    act_model_free(m);
}

TEST(the_order_of_the_text_has_each_activity_once)
{
    walk_text(
        act_navigator_text,
        "M(G()F()AMain(L()EX(C(s()E(B(s()))))E(B(E())B()B(EY()))E(EZ())E())AS(EB()))");
}

TEST(along_the_flow_activities_stand_in_their_calls)
{
    walk_text(act_navigator_flow,
              "M(G()F()AMain(L()EX(C(s()E(B(s()))))E(B(E(AS(EB())))B()B(EY()))E(EZ())"
              "E(AS(EB()))))");
}

/* --- A navigator of a tree that is no model: node i has children 2i+1 and 2i+2. --- */

struct heap {
    int at, count;
    struct act_node node;
};

static int heap_go(struct heap *h, int to, int may)
{
    if (may)
        h->at = to;
    return may;
}

static int heap_down(void *context)
{
    struct heap *h = context;

    return heap_go(h, 2 * h->at + 1, 2 * h->at + 1 < h->count);
}

static int heap_along(void *context)
{
    struct heap *h = context;

    return heap_go(h, h->at + 1, h->at % 2 == 1 && h->at + 1 < h->count);
}

static int heap_up(void *context)
{
    struct heap *h = context;

    return heap_go(h, (h->at - 1) / 2, h->at > 0);
}

static const struct act_node *heap_current(void *context)
{
    struct heap *h = context;

    h->node = (struct act_node){.kind = ACT_NODE_MODEL, .index = h->at};
    return &h->node;
}

static int number_enter(void *context, const struct act_node *node, struct cca_error *err)
{
    char number[20];

    (void)err;
    snprintf(number, sizeof number, "%d(", node->index);
    note(context, number);
    return 0;
}

TEST(the_traverser_walks_any_navigator)
{
    struct cca_error err = {0};
    struct heap heap = {.count = 6};
    const struct act_navigator navigator = {&heap, heap_down, heap_along, heap_up,
                                            heap_current};
    struct notes notes = {.left = -1};
    struct act_content_handler handler = {&notes, number_enter, note_leave};

    assert_int_equal(act_traverser_usual.walk(NULL, &navigator, &handler, &err), 0);
    assert_string_equal(notes.text, "0(1(3()4())2(5()))");
    heap.at = 1; /* from there on, and no further */
    notes = (struct notes){.left = -1};
    handler.leave = NULL;
    assert_int_equal(act_traverser_usual.walk(NULL, &navigator, &handler, &err), 0);
    assert_string_equal(notes.text, "1(3(4(");
    assert_int_equal(heap.at, 1);
}

/* --- A traverser of one's own: the same navigator and handler, top level alone. --- */

static int walk_top(void *context, const struct act_navigator *n,
                    const struct act_content_handler *h, struct cca_error *err)
{
    int rc = 0;

    (void)context;
    if (!n->down(n->context))
        return 0;
    do {
        rc = h->enter(h->context, n->current(n->context), err);
        if (!rc)
            rc = h->leave(h->context, n->current(n->context), err);
    } while (!rc && n->along(n->context));
    n->up(n->context);
    return rc;
}

TEST(another_traverser_takes_the_same_navigator_and_handler)
{
    static const struct act_traverser top = {NULL, walk_top};
    struct cca_error err = {0};
    struct act_model *m = act_model_read("m.act", text, strlen(text), &err);
    struct act_navigator navigator = act_navigator_text(m);
    struct notes notes = {.left = -1};
    const struct act_content_handler handler = {&notes, note_enter, note_leave};

    assert_non_null(m);
    assert_int_equal(top.walk(top.context, &navigator, &handler, &err), 0);
    assert_string_equal(notes.text, "G()F()AMain()AS()");
    act_navigator_free(&navigator);
    act_model_free(m);
}

TESTS(NULL, NULL)
