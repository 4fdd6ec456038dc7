/* SPDX-License-Identifier: BSD-3-Clause */
/* profile.c: parse stereotypes with their tags, and their applications. */
#include <string.h>

#include "activity/model/parse.h"

static const char *const type_names[] = {"long", "double", "text"};

static int is_base(const char *name)
{
    for (int k = 0; k < ACT_KINDS; k++)
        if (k != ACT_SET && strcmp(act_kind_name((enum act_kind)k), name) == 0)
            return 1;
    return strcmp(name, "activity") == 0;
}

/* Read a value of a tag's type, kept as written. NULL: refused. */
static const char *read_value(struct act_parse *p, const struct act_tag *tag)
{
    int negative = tag->type != ACT_TAG_TEXT && act_parse_is(p, "-");
    const char *text;
    char *joined;

    if (tag->type == ACT_TAG_TEXT)
        return act_parse_text(p, "the tag's value");
    if (negative && act_parse_next(p))
        return NULL;
    if (p->lex.word.kind != CCA_TOKEN_INTEGER &&
        !(p->lex.word.kind == CCA_TOKEN_REAL && tag->type == ACT_TAG_DOUBLE)) {
        act_lex_refuse(&p->lex,
                       tag->type == ACT_TAG_LONG ? "a whole number" : "a number");
        return NULL;
    }
    text = p->lex.word.text;
    if (negative) {
        joined = act_parse_take(p, strlen(text) + 2);
        if (!joined)
            return NULL;
        joined[0] = '-';
        strcpy(joined + 1, text);
        text = joined;
    }
    return act_parse_next(p) ? NULL : text;
}

static int read_tag(struct act_parse *p, struct act_stereotype *s)
{
    struct act_tag *tag = act_parse_take(p, sizeof *tag), **last = &s->tags;
    int type = 0;

    if (!tag)
        return p->lex.failed;
    while (type < 3 && !act_parse_is(p, type_names[type]))
        type++;
    if (type == 3)
        return act_lex_refuse(&p->lex, "long, double, text or }");
    tag->type = (enum act_tag_type)type;
    if (act_parse_next(p))
        return p->lex.failed;
    for (; *last; last = &(*last)->next)
        if (strcmp((*last)->name, p->lex.word.text) == 0)
            return act_lex_refuse(&p->lex, "each tag once");
    if (p->lex.word.kind != CCA_TOKEN_NAME)
        return act_lex_refuse(&p->lex, "the tag's name");
    tag->name = p->lex.word.text;
    tag->place = p->lex.word.place;
    *last = tag;
    if (act_parse_next(p) || !act_parse_is(p, "="))
        return p->lex.failed;
    if (act_parse_next(p) || !(tag->value = read_value(p, tag)))
        return p->lex.failed;
    return 0;
}

int act_parse_stereotype(struct act_parse *p)
{
    struct act_stereotype *s = act_parse_take(p, sizeof *s),
                          **last = &p->model->stereotypes;

    if (!s)
        return p->lex.failed;
    s->comment = p->lex.word.comment;
    p->lex.word.comment = NULL;
    p->inner = p->tail = NULL;
    if (act_parse_next(p))
        return p->lex.failed;
    for (; *last; last = &(*last)->next)
        if (strcmp((*last)->name, p->lex.word.text) == 0)
            return act_lex_refuse(&p->lex, "another name: this stereotype is there");
    if (p->lex.word.kind != CCA_TOKEN_NAME)
        return act_lex_refuse(&p->lex, "the stereotype's name");
    s->name = p->lex.word.text;
    s->place = p->lex.word.place;
    *last = s;
    if (act_parse_next(p) || act_parse_expect(p, "of"))
        return p->lex.failed;
    if (!is_base(p->lex.word.text) || p->lex.word.kind != CCA_TOKEN_NAME)
        return act_lex_refuse(&p->lex, "a kind of element or activity");
    s->base = p->lex.word.text;
    if (act_parse_next(p) || act_parse_expect(p, "{"))
        return p->lex.failed;
    while (!act_parse_is(p, "}"))
        if (read_tag(p, s))
            return p->lex.failed;
    if (act_parse_next(p))
        return p->lex.failed;
    s->comment = act_parse_join(p, act_parse_join(p, s->comment, p->inner), p->tail);
    return 0;
}

static int read_applied_tag(struct act_parse *p, struct act_applied *a)
{
    struct act_applied_tag *given = act_parse_take(p, sizeof *given), **last = &a->tags;
    const struct act_tag *tag = a->stereotype->tags;

    if (!given)
        return p->lex.failed;
    while (tag && strcmp(tag->name, p->lex.word.text) != 0)
        tag = tag->next;
    if (!tag || p->lex.word.kind != CCA_TOKEN_NAME)
        return act_lex_refuse(&p->lex, "a tag of the stereotype or >>");
    for (; *last; last = &(*last)->next)
        if ((*last)->tag == tag)
            return act_lex_refuse(&p->lex, "each tag once");
    given->tag = tag;
    *last = given;
    if (act_parse_next(p) || act_parse_expect(p, "=") ||
        !(given->value = read_value(p, tag)))
        return p->lex.failed;
    return 0;
}

int act_parse_applied(struct act_parse *p, const char *base, struct act_applied **list)
{
    struct act_applied *a = act_parse_take(p, sizeof *a), **last = list;

    if (!a || act_parse_next(p))
        return p->lex.failed;
    a->stereotype = p->model->stereotypes;
    while (a->stereotype && strcmp(a->stereotype->name, p->lex.word.text) != 0)
        a->stereotype = a->stereotype->next;
    if (!a->stereotype || strcmp(a->stereotype->base, base) != 0)
        return act_lex_refuse(&p->lex,
                              "a stereotype of this kind that was declared before");
    a->place = p->lex.word.place;
    for (; *last; last = &(*last)->next)
        if ((*last)->stereotype == a->stereotype)
            return act_lex_refuse(&p->lex, "each stereotype once");
    *last = a;
    if (act_parse_next(p))
        return p->lex.failed;
    while (!act_parse_is(p, ">>")) {
        if (a->tags && act_parse_expect(p, ","))
            return p->lex.failed;
        if (read_applied_tag(p, a))
            return p->lex.failed;
    }
    return act_parse_next(p);
}
