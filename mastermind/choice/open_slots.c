/* SPDX-License-Identifier: BSD-3-Clause */
/* open_slots.c: axes that are classes of instances and are open in the request. If a run
 * has no instance with the slot's name, classes of other instances count. */
#include "mastermind/choice/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "mastermind/choice/slots.h"

/* The instance with the name `instance` in a run; NULL: unknown. */
static const struct mm_instance *instance_in(const struct mm_open_asked *asked,
                                             size_t run, const char *instance)
{
    return asked->wirings[run] ? mm_wiring_instance(asked->wirings[run], instance) : NULL;
}

static int add_class(struct mm_open_slot *slot, const char *name,
                     const struct mm_instance *instance, size_t run)
{
    struct mm_open_class *class_of;

    for (size_t i = 0; i < slot->class_count; i++)
        if (strcmp(slot->classes[i].name, name) == 0) {
            slot->classes[i].runs++;
            return 0;
        }
    class_of = cca_array_add(&slot->classes, &slot->class_count, sizeof *class_of);
    if (!class_of)
        return -ENOMEM;
    *class_of =
        (struct mm_open_class){.name = name, .instance = instance, .run = run, .runs = 1};
    return 0;
}

/* The reason why a class cannot replace the first run's class in a slot; NULL: it can. */
static const char *unfit(const struct mm_open_asked *asked,
                         const struct mm_open_slot *slot,
                         const struct mm_open_class *class_of)
{
    const struct mm_open_class *first = &slot->classes[0];

    if (!first->instance || !class_of->instance)
        return NULL;
    if (!mm_slot_provides(asked->wirings[first->run], first->instance,
                          class_of->instance))
        return "its ports are others";
    if (mm_slot_missing_use(asked->wirings[first->run], first->instance,
                            asked->wirings[class_of->run], class_of->instance))
        return "it uses a port that is not connected";
    return NULL;
}

/* Omit classes whose ports do not fit into the slot. */
static int leave_out(struct mm_open_choice *choice, const struct mm_open_asked *asked,
                     struct mm_open_slot *slot)
{
    size_t kept = 1;

    for (size_t i = 1; i < slot->class_count; i++) {
        const char *why = unfit(asked, slot, &slot->classes[i]);

        if (why && mm_notes_add(&choice->notes, "%s is no candidate for %s: %s",
                                slot->classes[i].name, slot->instance, why))
            return -ENOMEM;
        if (!why)
            slot->classes[kept++] = slot->classes[i];
    }
    slot->class_count = kept;
    return 0;
}

static int is_found(const struct mm_open_choice *choice, size_t axis)
{
    for (size_t i = 0; i < choice->slot_count; i++)
        if (choice->slots[i].axis == axis)
            return 1;
    return 0;
}

/* Add classes of a run that lacks the instance but has others that fit in its place. */
static int add_others(const struct mm_open_asked *asked, struct mm_open_slot *slot,
                      size_t run)
{
    const struct mm_wiring *wiring = asked->wirings[run];
    const struct mm_open_class *first = &slot->classes[0];

    for (size_t i = 0; wiring && first->instance && i < wiring->instance_count; i++) {
        const struct mm_instance *other = &wiring->instances[i];

        if (mm_slot_provides(asked->wirings[first->run], first->instance, other) &&
            add_class(slot, other->class_name, other, run))
            return -ENOMEM;
        first = &slot->classes[0];
    }
    return 0;
}

static int add_slot(struct mm_open_choice *choice, const struct mm_open_asked *asked,
                    const struct mm_axis *axis)
{
    struct mm_open_slot slot = {.instance = axis->name, .axis = axis->same_as};

    for (size_t r = 0; r < asked->run_count; r++)
        if (axis->text[r]
                ? add_class(&slot, axis->text[r], instance_in(asked, r, slot.instance), r)
                : axis->text[0] && add_others(asked, &slot, r))
            goto fail;
    if (leave_out(choice, asked, &slot) ||
        (slot.class_count > 1 &&
         cca_array_reserve(&choice->slots, choice->slot_count, sizeof slot)))
        goto fail;
    if (slot.class_count > 1)
        choice->slots[choice->slot_count++] = slot;
    else
        free(slot.classes);
    return 0;
fail:
    free(slot.classes);
    return -ENOMEM;
}

int mm_open_slots_find(struct mm_open_choice *choice, const struct mm_open_asked *asked)
{
    const struct mm_axes *axes = mm_forecaster_axes(asked->forecaster);

    for (size_t i = 0; i < axes->count; i++) {
        const struct mm_axis *axis = &axes->items[i];

        if (axis->kind != MM_AXIS_CLASS || !axis->varies || asked->text[axis->same_as] ||
            is_found(choice, axis->same_as))
            continue;
        if (add_slot(choice, asked, axis))
            return -ENOMEM;
    }
    return 0;
}
