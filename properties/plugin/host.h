/* SPDX-License-Identifier: BSD-3-Clause */
/* host.h: code of the child: a framework with one component, called through its port. */
#ifndef PROPERTIES_PLUGIN_HOST_H
#define PROPERTIES_PLUGIN_HOST_H

#include "ports/property_port.h"
#include "properties/plugin/child.h"

struct mm_store;

/* Kinds of frames. */
enum {
    MM_FRAME_ABOUT = 1, /* port, object, share of region, name, doc, because: texts */
    MM_FRAME_NEEDS,     /* the name of required data, for the property before it */
    MM_FRAME_ANSWER     /* struct mm_answer_frame, detail, reason: texts */
};

/* Strings follow, each with its 0: detail, reason. */
struct mm_answer_frame {
    int64_t experiment, region, unit;
    double severity, confidence;
    int32_t holds;
    uint8_t has_detail, has_reason;
};

/* A component: the library of its class, and one of its ports. */
struct mm_component {
    const char *file, *class_name;
    const char *port; /* name of its port; NULL: all ports of type PropertyPort */
    int trust;
};

/* Describe all its properties, a frame each. 0 or a negative errno with `err`. */
int mm_host_describe(const struct mm_component *component, struct mm_frames *frames,
                     struct cca_error *err);

/* A question for the component. */
struct mm_host_question {
    struct mm_store *store;
    const int64_t *runs; /* [run_count] runs that have the needed data */
    size_t run_count;
    int64_t sequential, basis;
};
/* Evaluate, and send a frame for each answer. 0 or a negative errno with `err`. */
int mm_host_evaluate(const struct mm_component *component,
                     const struct mm_host_question *question, struct mm_frames *frames,
                     struct cca_error *err);

#endif
