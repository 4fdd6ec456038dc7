/* SPDX-License-Identifier: BSD-3-Clause */
/* host.h: what runs in the child: the framework with one component, asked by its port. */
#ifndef PROPERTIES_PLUGIN_HOST_H
#define PROPERTIES_PLUGIN_HOST_H

#include "ports/property_port.h"
#include "properties/plugin/child.h"

struct mm_store;

/* Kinds of frames. */
enum {
    MM_FRAME_ABOUT = 1, /* port, object, share of region, name, doc, because: texts */
    MM_FRAME_NEEDS,     /* a name that it requires, of the property before */
    MM_FRAME_ANSWER     /* struct mm_answer_frame, detail, reason: texts */
};

/* Texts follow, each with its 0: detail, reason. */
struct mm_answer_frame {
    int64_t experiment, region, unit;
    double severity, confidence;
    int32_t holds;
    uint8_t has_detail, has_reason;
};

/* A component: the library that holds its class, and one of its ports. */
struct mm_component {
    const char *file, *class_name;
    const char *port; /* NULL: each that is a PropertyPort */
    int trust;
};

/* Describe all its properties, a frame each. 0 or a negative errno with `err`. */
int mm_host_describe(const struct mm_component *component, struct mm_frames *frames,
                     struct cca_error *err);

/* What it is asked. */
struct mm_host_question {
    struct mm_store *store;
    const int64_t *runs; /* [run_count] that have what it needs */
    size_t run_count;
    int64_t sequential, basis;
};
/* Evaluate, a frame an answer. 0 or a negative errno with `err`. */
int mm_host_evaluate(const struct mm_component *component,
                     const struct mm_host_question *question, struct mm_frames *frames,
                     struct cca_error *err);

#endif
