/* SPDX-License-Identifier: BSD-3-Clause */
/* own_messages.c: a port through which a component reads the sampled messages of its own
 * process, from their file. */
#include "mastermind/component/parts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>

#include "messages/read/file.h"

/* Open the file of messages; `text` holds its path. Returns 0, or a negative errno with
 * `err`. */
static int open_own(struct messages_port *self, struct mm_messages_file *file,
                    char text[PATH_MAX], struct cca_error *err)
{
    const struct mm_own_messages *own =
        cca_container_of(self, struct mm_own_messages, port);
    int code;

    file->fd = -1;
    file->pieces = NULL;
    if (!*own->folder)
        return cca_error_set(err, -ENODATA, "no messages yet: nothing is recorded");
    if (snprintf(text, PATH_MAX, "%s/" MM_MESSAGES_FILE, *own->folder) >= PATH_MAX)
        return cca_error_set(err, -EIO, "%s: the path is too long", *own->folder);
    code = mm_messages_file_open(file, text, *own->rank, err);
    return code == -ENOENT || code == -EAGAIN
               ? cca_error_set(err, -ENODATA, "%s: no messages are sampled", text)
               : code;
}

static int add_channel(void *context, const void *entry, uint64_t number)
{
    struct messages_counts *counts = context;
    const struct mm_messages_channel *channel = entry;

    (void)number;
    if (channel->side == MM_MESSAGES_SEND)
        counts->sent += (int64_t)channel->count;
    else
        counts->received += (int64_t)channel->count;
    return 0;
}

static int own_counts(struct messages_port *self, struct messages_counts *counts,
                      struct cca_error *err)
{
    struct mm_messages_file file;
    struct messages_counts own = {0};
    const uint64_t *c = file.head.counts;
    char path[PATH_MAX];
    int code = open_own(self, &file, path, err);

    if (!code)
        code = mm_messages_file_walk(&file, MM_MESSAGES_CHANNELS, add_channel, &own, NULL,
                                     err);
    if (!code) {
        own.sampled = (int64_t)c[MM_MESSAGES_SAMPLED];
        own.joined = (int64_t)c[MM_MESSAGES_JOINED];
        own.lost = (int64_t)(c[MM_MESSAGES_DROPPED_POOL] + c[MM_MESSAGES_DROPPED_RING] +
                             c[MM_MESSAGES_DROPPED_LIMIT] + c[MM_MESSAGES_DROPPED_ORDER] +
                             c[MM_MESSAGES_DROPPED_FOREIGN] + c[MM_MESSAGES_UNVERIFIED] +
                             c[MM_MESSAGES_MISMATCHED] + c[MM_MESSAGES_SUSPECT]);
        *counts = own;
    }
    mm_messages_file_close(&file);
    return code;
}

/* The callbacks for a channel and for a class of messages, and their argument. */
struct visit {
    int (*channel)(void *context, const struct messages_channel *channel);
    int (*class)(void *context, const struct messages_class *entry);
    void *context;
};

static int visit_channel(void *context, const void *entry, uint64_t number)
{
    const struct visit *visit = context;
    const struct mm_messages_channel *c = entry;
    struct messages_channel channel = {.communicator = c->comm,
                                       .peer = c->peer,
                                       .tag = c->tag,
                                       .is_send = c->side == MM_MESSAGES_SEND,
                                       .messages = (int64_t)c->count,
                                       .bytes = (int64_t)c->bytes};

    (void)number;
    return visit->channel(visit->context, &channel);
}

static int visit_class(void *context, const void *entry, uint64_t number)
{
    const struct visit *visit = context;
    const struct mm_messages_class *c = entry;
    int64_t low =
        c->size_class && c->size_class < 63 ? (int64_t)1 << (c->size_class - 1) : 0;
    struct messages_class own = {.source = c->src,
                                 .bytes_low = low,
                                 .bytes_high = c->other ? INT64_MAX
                                               : low    ? 2 * low - 1
                                                        : 0,
                                 .send_site = c->send_site,
                                 .receive_site = c->recv_site,
                                 .samples = (int64_t)c->count,
                                 .messages = c->weight,
                                 .latency_ns = c->latency.weighted,
                                 .late_sender_ns = c->late_sender.weighted,
                                 .late_receiver_ns = c->late_receiver.weighted,
                                 .transfer_ns = c->transfer.weighted,
                                 .latency_min_ns = c->min_ns,
                                 .latency_max_ns = c->max_ns};

    (void)number;
    return c->count ? visit->class(visit->context, &own) : 0;
}

static int walk_own(struct messages_port *self, enum mm_messages_type type,
                    mm_messages_entry_function function, struct visit *visit,
                    struct cca_error *err)
{
    struct mm_messages_file file;
    char path[PATH_MAX];
    int code = open_own(self, &file, path, err);

    if (!code)
        code = mm_messages_file_walk(&file, type, function, visit, NULL, err);
    mm_messages_file_close(&file);
    return code;
}

static int own_channels(struct messages_port *self,
                        int (*visit)(void *context,
                                     const struct messages_channel *channel),
                        void *context, struct cca_error *err)
{
    return walk_own(self, MM_MESSAGES_CHANNELS, visit_channel,
                    &(struct visit){.channel = visit, .context = context}, err);
}

static int own_classes(struct messages_port *self,
                       int (*visit)(void *context, const struct messages_class *entry),
                       void *context, struct cca_error *err)
{
    return walk_own(self, MM_MESSAGES_CLASSES, visit_class,
                    &(struct visit){.class = visit, .context = context}, err);
}

void mm_own_messages_init(struct mm_own_messages *own, char *const *folder,
                          const int *rank)
{
    own->port = (struct messages_port){.base = {MESSAGES_PORT_TYPE, sizeof own->port},
                                       .counts = own_counts,
                                       .channels = own_channels,
                                       .classes = own_classes};
    own->folder = folder;
    own->rank = rank;
}
