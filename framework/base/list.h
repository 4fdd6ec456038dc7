/* SPDX-License-Identifier: BSD-3-Clause */
/* list.h: an ordered list whose links are members of its elements. It stores the element
 * that was last found by index, so a walk by index takes linear time. */
#ifndef FRAMEWORK_BASE_LIST_H
#define FRAMEWORK_BASE_LIST_H

#include <stddef.h>

struct cca_link {
    struct cca_link *next, *prev;
};

struct cca_list {
    struct cca_link head; /* links of the list, a ring through this head */
    size_t count;
    /* the element last found by index, with index `cursor_index`; or NULL */
    struct cca_link *cursor;
    size_t cursor_index;
};

static inline void cca_list_init(struct cca_list *list)
{
    *list = (struct cca_list){.head = {&list->head, &list->head}};
}

static inline void cca_list_append(struct cca_list *list, struct cca_link *link)
{
    link->prev = list->head.prev;
    link->next = &list->head;
    link->prev->next = link;
    list->head.prev = link;
    list->count++;
}

static inline void cca_list_remove(struct cca_list *list, struct cca_link *link)
{
    link->prev->next = link->next;
    link->next->prev = link->prev;
    list->count--;
    list->cursor = NULL;
}

/* Return the element with index `index`, or NULL. */
static inline struct cca_link *cca_list_at(struct cca_list *list, size_t index)
{
    if (index >= list->count)
        return NULL;
    if (!list->cursor || index < list->cursor_index) {
        list->cursor = list->head.next;
        list->cursor_index = 0;
    }
    for (; list->cursor_index < index; list->cursor_index++)
        list->cursor = list->cursor->next;
    return list->cursor;
}

/* To walk through a list: for (l = cca_list_first(list); l; l = cca_list_next(list, l))
 */
static inline struct cca_link *cca_list_first(const struct cca_list *list)
{
    return list->count ? list->head.next : NULL;
}

static inline struct cca_link *cca_list_next(const struct cca_list *list,
                                             const struct cca_link *link)
{
    return link->next == &list->head ? NULL : link->next;
}

static inline struct cca_link *cca_list_last(const struct cca_list *list)
{
    return list->count ? list->head.prev : NULL;
}

static inline struct cca_link *cca_list_before(const struct cca_list *list,
                                               const struct cca_link *link)
{
    return link->prev == &list->head ? NULL : link->prev;
}

#endif
