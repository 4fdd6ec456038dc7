/* SPDX-License-Identifier: BSD-3-Clause */
/* global.c: the agent that collects from all nodes and writes profiles. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/array.h"
#include "common/clock.h"
#include "mesh/agent/parts.h"
#include "mesh/agent/collect.h"

enum {
    SOURCES = 4096,
    /* time limit for the first client, and for the HELLO of a client */
    GREETING_MS = 10000,
    GREETING_BYTES = 256,
    LOOK_MS = 500 /* interval of checks for connections without HELLO */
};

struct guest {
    struct wire wire;
    int source;  /* number of the client, an argument of mesh_collect_take */
    int greeted; /* true if the client has sent a valid HELLO */
    int64_t since_ms;
};

struct host {
    struct mesh_collect *collect;
    struct address address;
    int listening[2];
    struct guest *guests;
    size_t guest_count;
    int next_source, any_guest;
};

static volatile sig_atomic_t ended;

static void end(int signal)
{
    (void)signal;
    ended = 1;
}

static void complain(const struct cca_error *err)
{
    fprintf(stderr, "mesh-agent: %s\n", err->text);
}

static int take_hello(struct guest *guest, const struct host *host,
                      const struct wire_packet *packet, struct cca_error *err)
{
    const struct wire_hello *hello = wire_part(packet, 0, sizeof *hello);
    unsigned char differ = 0;

    if (packet->type != WIRE_HELLO || !hello || packet->bytes != sizeof *hello ||
        hello->order != 0x01020304)
        return cca_error_set(err, -EPROTO, "found a connection of a stranger, refused");
    if (hello->version != WIRE_VERSION)
        return cca_error_set(err, -EPROTO,
                             "found a local agent of version %u, expected %d, refused",
                             hello->version, WIRE_VERSION);
    for (size_t i = 0; i < sizeof hello->token; i++)
        differ |= (unsigned char)(hello->token[i] ^ host->address.token[i]);
    guest->greeted = !differ;
    return differ ? cca_error_set(err, -EACCES, "found a wrong token, refused") : 0;
}

static int take_packet(struct host *host, struct guest *guest,
                       const struct wire_packet *packet, struct cca_error *err)
{
    if (!guest->greeted)
        return take_hello(guest, host, packet, err);
    if (packet->type == WIRE_FLUSH && packet->bytes == sizeof(int64_t))
        return wire_send(&guest->wire, WIRE_ACK, packet->payload, packet->bytes, NULL, 0,
                         NULL, 0);
    return mesh_collect_take(host->collect, guest->source, packet, err);
}

/* Process the packets of a client. Returns 0, or a negative errno: the client is
 * disconnected. */
static int serve(struct host *host, struct guest *guest)
{
    struct cca_error err = {0};
    struct wire_packet packet;
    int64_t got = wire_read(&guest->wire);
    int rc = got > 0 ? 1 : got == 0 ? -ECONNRESET : (int)got;

    if (rc == -EAGAIN)
        return 0;
    while (rc > 0 && (rc = wire_next(&guest->wire, &packet, &err)) > 0) {
        rc = take_packet(host, guest, &packet, &err);
        rc = rc < 0 ? rc : 1;
    }
    if (!rc && !guest->greeted && guest->wire.have > GREETING_BYTES)
        rc = cca_error_set(&err, -EPROTO, "found a connection of a stranger, refused");
    if (err.code)
        complain(&err);
    return rc;
}

static void welcome(struct host *host, int listening)
{
    int fd = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
    struct guest *guest = NULL;
    int on = 1;

    if (fd >= 0 && host->guest_count < SOURCES)
        guest = cca_array_add(&host->guests, &host->guest_count, sizeof *guest);
    if (!guest) {
        if (fd >= 0)
            close(fd);
        return;
    }
    /* detects a node that died, which sends no end of the connection */
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    guest->wire.fd = fd;
    guest->since_ms = cca_clock_ns(CLOCK_MONOTONIC) / 1000000;
    guest->source = host->next_source++;
}

static void farewell(struct host *host, size_t at)
{
    struct guest *guest = &host->guests[at];
    struct cca_error err = {0};

    if (guest->greeted) {
        host->any_guest = 1;
        if (mesh_collect_gone(host->collect, guest->source, &err))
            complain(&err);
    }
    wire_done(&guest->wire);
    memmove(guest, guest + 1, (host->guest_count - at - 1) * sizeof *guest);
    host->guest_count--;
}

/* Make the array of descriptors for poll: both listening sockets, then the clients. */
static struct pollfd *descriptors(const struct host *host)
{
    struct pollfd *fds = calloc(host->guest_count + 2, sizeof *fds);

    for (size_t i = 0; fds && i < host->guest_count + 2; i++) {
        fds[i].fd = i < 2 ? host->listening[i] : host->guests[i - 2].wire.fd;
        fds[i].events = POLLIN;
    }
    return fds;
}

/* Disconnect clients that sent no HELLO in time. Returns the number of clients with
 * HELLO; *strangers is the number of others. */
static size_t count_guests(struct host *host, int64_t now, size_t *strangers)
{
    size_t greeted = 0;

    for (size_t i = host->guest_count; i-- > 0;)
        if (host->guests[i].greeted)
            greeted++;
        else if (now - host->guests[i].since_ms > GREETING_MS)
            farewell(host, i);
    *strangers = host->guest_count - greeted;
    return greeted;
}

/* Serve the sockets that poll reported. */
static void serve_ready(struct host *host, const struct pollfd *fds, size_t guests)
{
    for (size_t i = guests; i-- > 0;)
        if (fds[i + 2].revents && serve(host, &host->guests[i]) < 0)
            farewell(host, i);
    for (int i = 0; i < 2; i++)
        if (fds[i].revents)
            welcome(host, host->listening[i]);
}

/* Serve until there has been no client for `idle_ms`. */
static void serve_all(struct host *host, int idle_ms)
{
    int64_t last = cca_clock_ns(CLOCK_MONOTONIC) / 1000000;

    while (!ended) {
        size_t strangers;
        int64_t now = cca_clock_ns(CLOCK_MONOTONIC) / 1000000, wait = -1;
        struct pollfd *fds;
        int ready;

        if (count_guests(host, now, &strangers) > 0)
            last = now;
        else
            wait = last + (host->any_guest ? idle_ms : GREETING_MS) - now;
        if (last != now && wait <= 0)
            return;
        if (strangers > 0 && (wait < 0 || wait > LOOK_MS))
            wait = LOOK_MS;
        fds = descriptors(host);
        ready = fds ? poll(fds, host->guest_count + 2, (int)wait) : -1;
        if (ready > 0)
            serve_ready(host, fds, host->guest_count);
        free(fds);
        if (ready < 0 && errno != EINTR)
            return;
    }
}

/* Remove the lock, the address file, and the log if it is empty. */
static void tidy(const char *experiment)
{
    char path[4200];
    struct stat st;

    snprintf(path, sizeof path, "%s/" MM_MESH_FOLDER "/" MESH_AGENT_LOG, experiment);
    if (stat(path, &st) == 0 && st.st_size == 0)
        unlink(path);
    snprintf(path, sizeof path, "%s/" MM_MESH_FOLDER "/" ADDRESS_FILE ".lock",
             experiment);
    unlink(path);
    address_remove(experiment);
    snprintf(path, sizeof path, "%s/" MM_MESH_FOLDER, experiment);
    rmdir(path); /* succeeds only if nothing was profiled */
}

int mesh_agent_global(const char *experiment)
{
    struct host host = {.listening = {-1, -1}};
    struct sigaction action = {.sa_handler = end};
    struct cca_error err = {0};
    char folder[4200];
    int rc;

    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGINT, &action, NULL);
    signal(SIGHUP, SIG_IGN);
    snprintf(folder, sizeof folder, "%s/" MM_MESH_FOLDER, experiment);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "mesh-agent: %s: %s\n", folder, strerror(errno));
        return MESH_AGENT_INPUT;
    }
    host.collect = mesh_collect_new(experiment);
    rc = host.collect ? address_listen(&host.address, host.listening, &err)
                      : cca_no_memory(&err);
    if (!rc)
        rc = address_write(experiment, &host.address, &err);
    if (!rc)
        serve_all(&host, MESH_AGENT_IDLE_MS);
    address_remove(experiment);
    while (host.guest_count > 0)
        farewell(&host, host.guest_count - 1);
    if (host.collect) {
        int closed = mesh_collect_close(host.collect, &err);

        rc = rc ? rc : closed;
    }
    tidy(experiment);
    for (int i = 0; i < 2; i++)
        if (host.listening[i] >= 0)
            close(host.listening[i]);
    free(host.guests);
    if (rc)
        complain(&err);
    return rc ? MESH_AGENT_SYSTEM : 0;
}
