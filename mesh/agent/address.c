/* SPDX-License-Identifier: BSD-3-Clause */
/* address.c: sockets of the agents. */
#include "mesh/agent/parts.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int failed(struct cca_error *err, const char *what)
{
    int code = errno;

    return cca_error_set(err, -code, "%s: %s", what, strerror(code));
}

/* Make the address of an abstract UNIX socket: a zero byte, then the name. Returns its
 * length. */
static socklen_t unix_name(struct sockaddr_un *to, const char *name)
{
    size_t length = strlen(name); /* below 96 */

    memset(to, 0, sizeof *to);
    to->sun_family = AF_UNIX;
    memcpy(to->sun_path + 1, name, length);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
}

int address_lock(const char *name)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), code;
    struct sockaddr_un at;
    socklen_t length = unix_name(&at, name);

    if (fd < 0)
        return -errno;
    if (bind(fd, (struct sockaddr *)&at, length) == 0)
        return fd;
    code = -errno;
    close(fd);
    return code;
}

static int random_text(char *text, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[64];

    if (getrandom(bytes, size - 1, 0) != (ssize_t)(size - 1))
        return -EIO;
    for (size_t i = 0; i + 1 < size; i++)
        text[i] = digits[bytes[i] & 15];
    text[size - 1] = '\0';
    return 0;
}

static int listen_tcp(struct address *address)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t size = sizeof at;

    if (fd >= 0 && gethostname(address->host, sizeof address->host - 1) == 0 &&
        bind(fd, (struct sockaddr *)&at, sizeof at) == 0 && listen(fd, 64) == 0 &&
        getsockname(fd, (struct sockaddr *)&at, &size) == 0) {
        address->port = ntohs(at.sin_port);
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

int address_listen(struct address *address, int fds[2], struct cca_error *err)
{
    memset(address, 0, sizeof *address);
    fds[0] = fds[1] = -1;
    if (random_text(address->token, sizeof address->token))
        return failed(err, "random numbers");
    snprintf(address->name, sizeof address->name, "mm_mesh-%ld-%.24s", (long)getpid(),
             address->token);
    fds[0] = address_lock(address->name);
    if (fds[0] < 0)
        return cca_error_set(err, fds[0], "cannot listen: %s", strerror(-fds[0]));
    if (listen(fds[0], 64) != 0)
        return failed(err, "cannot listen");
    fds[1] = listen_tcp(address);
    return 0;
}

static void file_path(char *path, size_t size, const char *experiment, const char *suffix)
{
    snprintf(path, size, "%s/" MM_MESH_FOLDER "/" ADDRESS_FILE "%s", experiment, suffix);
}

int address_write(const char *experiment, const struct address *address,
                  struct cca_error *err)
{
    char path[4200], made[4200];
    FILE *file;
    int fd, bad;

    file_path(path, sizeof path, experiment, "");
    file_path(made, sizeof made, experiment, ".new");
    unlink(made);
    fd = open(made, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file)
        return failed(err, made);
    fprintf(file, "unix %s\n", address->name);
    if (address->port)
        fprintf(file, "tcp %s %d\n", address->host, address->port);
    fprintf(file, "token %s\n", address->token);
    bad = ferror(file);
    bad |= fclose(file);
    return bad || rename(made, path) != 0 ? failed(err, path) : 0;
}

int address_read(const char *experiment, struct address *address, struct cca_error *err)
{
    char path[4200], line[400];
    FILE *file;

    memset(address, 0, sizeof *address);
    file_path(path, sizeof path, experiment, "");
    file = fopen(path, "re");
    if (!file)
        return failed(err, path);
    while (fgets(line, sizeof line, file)) {
        sscanf(line, "unix %95s", address->name);
        sscanf(line, "tcp %255s %d", address->host, &address->port);
        sscanf(line, "token %39s", address->token);
    }
    fclose(file);
    return address->token[0] ? 0
                             : cca_error_set(err, -EBADMSG, "%s: found no token", path);
}

void address_remove(const char *experiment)
{
    char path[4200];

    file_path(path, sizeof path, experiment, "");
    unlink(path);
}

static int connect_unix(const struct address *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), code;
    struct sockaddr_un at;
    socklen_t length = unix_name(&at, address->name);

    if (fd < 0)
        return -errno;
    if (connect(fd, (struct sockaddr *)&at, length) == 0)
        return fd;
    code = -errno;
    close(fd);
    return code;
}

static int connect_tcp(const struct address *address)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found, *at;
    char port[16];
    int fd = -EHOSTUNREACH;

    snprintf(port, sizeof port, "%d", address->port);
    if (!address->port || getaddrinfo(address->host, port, &hints, &found))
        return -EHOSTUNREACH;
    for (at = found; at && fd < 0; at = at->ai_next) {
        fd = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, at->ai_protocol);
        if (fd >= 0 && connect(fd, at->ai_addr, at->ai_addrlen) != 0) {
            close(fd);
            fd = -ECONNREFUSED;
        }
    }
    freeaddrinfo(found);
    return fd;
}

int address_connect(const struct address *address, struct wire *wire,
                    struct cca_error *err)
{
    struct wire_hello hello = {.version = WIRE_VERSION, .order = 0x01020304};
    int fd = connect_unix(address), rc;

    if (fd < 0)
        fd = connect_tcp(address);
    if (fd < 0)
        return cca_error_set(err, fd, "no global agent at %s, %s port %d: %s",
                             address->name, address->host, address->port, strerror(-fd));
    memset(wire, 0, sizeof *wire);
    wire->fd = fd;
    memcpy(hello.token, address->token, sizeof hello.token);
    rc = wire_send(wire, WIRE_HELLO, &hello, sizeof hello, NULL, 0, NULL, 0);
    if (rc)
        wire_done(wire);
    return rc ? cca_error_set(err, rc, "the global agent: %s", strerror(-rc)) : fd;
}
