/* SPDX-License-Identifier: BSD-3-Clause */
/* parts.h: a property of a component. For the files of this folder. */
#ifndef PROPERTIES_PLUGIN_PARTS_H
#define PROPERTIES_PLUGIN_PARTS_H

#include <stdint.h>
#include <stddef.h>
#include "properties/words/property.h"
#include "ports/cca_error.h"
#include "ports/property_port.h"

struct mm_plugin {
    struct mm_property_code code;
    char *file, *class_name, *port;
    char **needs;
    size_t need_count;
    int trust;
    char *fault; /* reason why the component is not called any more; NULL: it is usable */
};

/* ask.c: implement struct mm_property_code. */
int mm_plugin_evaluate(struct mm_property_code *self, struct mm_property_answers *answers,
                       struct mm_store *store, const struct mm_property *property,
                       const struct mm_property_question *question,
                       struct cca_error *err);
int mm_plugin_lint(struct mm_property_code *self, struct mm_store *store,
                   const struct mm_property *property, struct cca_error *err);

/* A new string "component CLASS (file.so): WHAT"; NULL: out of memory. */
char *mm_plugin_blame(const struct mm_plugin *plugin, const char *what);

struct mm_store;

/* --- child.c ------------------------------------------------------------- */

/* Run work in a child process whose results come back through a pipe.
 *
 *   this process ──fork──▶ child: limits, work ──frames──▶ this process: take
 *
 * If the child crashes, hangs, sends too much or writes garbage into the pipe, the caller
 * gets a one-line message, and this process is not affected. */

enum { MM_FRAME_MOST = 16384 }; /* maximum size of a frame, bytes */

/* Output of the child. */
struct mm_frames {
    int fd, failed;
    size_t used;
    char buffer[4 * MM_FRAME_MOST];
};
/* In the child: send a frame of a kind (1 and above) with `size` bytes. Returns 0 or
 * -EPIPE. */
int mm_frame_put(struct mm_frames *frames, uint32_t kind, const void *body, size_t size);

struct mm_child {
    /* The work, called in the child. Returns 0 or a negative errno with `err`, which the
     * parent reports. */
    int (*work)(void *context, struct mm_frames *frames, struct cca_error *err);
    /* Processes a frame, called in the parent; after the body's `size` bytes there is a
     * 0. Returns 0; for an invalid frame not 0, with the expectation in `fault`. */
    int (*take)(void *context, uint32_t kind, const char *body, size_t size, char *fault,
                size_t fault_size);
    void *context;
    double seconds; /* time after which the child is killed, seconds */
};

/* Run the child. Returns 0: it ended regularly; 1: it did not, or its work failed:
 * `fault` has the message; -EAGAIN, -ENOMEM and others: no child could be made. Processes
 * that the child started are killed with it. One thread. */
int mm_child_run(const struct mm_child *child, char *fault, size_t fault_size,
                 struct cca_error *err);

/* --- host.c -------------------------------------------------------------- */

/* Kinds of frames. */
enum {
    /* a property; texts: port, object, share of region, name, doc, because */
    MM_FRAME_ABOUT = 1,
    MM_FRAME_NEEDS, /* the name of data that the last described property requires */
    MM_FRAME_ANSWER /* an answer: struct mm_answer_frame, then the texts detail and
                     * reason */
};

/* An answer in a frame; two strings follow, each with its terminating 0: detail,
 * reason. */
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

/* Send a description of each property of a component, in a frame. Returns 0 or a negative
 * errno with `err`. */
int mm_host_describe(const struct mm_component *component, struct mm_frames *frames,
                     struct cca_error *err);

/* A question for the component. */
struct mm_host_question {
    struct mm_store *store;
    const int64_t *runs; /* [run_count] runs that have the needed data */
    size_t run_count;
    int64_t sequential, basis;
};
/* Have the component answer a question, and send a frame for each answer. Returns 0 or a
 * negative errno with `err`. */
int mm_host_evaluate(const struct mm_component *component,
                     const struct mm_host_question *question, struct mm_frames *frames,
                     struct cca_error *err);

#endif
