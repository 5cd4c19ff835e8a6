// System calls for LinnetIO. Each wrapper returns the result, or the negated errno: Swift code between a call and a
// look at `errno` could change it.
#ifndef LINNET_POSIX_H
#define LINNET_POSIX_H
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

// `_GNU_SOURCE` would make types of these headers differ from those that the Glibc module of Swift shows.
int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);

#define LINNET_RESULT(call)             \
  do {                                  \
    ssize_t linnet_result = (call);     \
    return linnet_result < 0 ? -(ssize_t)errno : linnet_result; \
  } while (0)

// Sockets. They are made non-blocking and close-on-exec, and sends never raise SIGPIPE.

static inline ssize_t linnet_socket(int family) {
  LINNET_RESULT(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}
static inline ssize_t linnet_connect(int fd, const void *address, socklen_t length) {
  LINNET_RESULT(connect(fd, (const struct sockaddr *)address, length));
}
static inline ssize_t linnet_bind(int fd, const void *address, socklen_t length) {
  LINNET_RESULT(bind(fd, (const struct sockaddr *)address, length));
}
static inline ssize_t linnet_listen(int fd, int backlog) { LINNET_RESULT(listen(fd, backlog)); }
static inline ssize_t linnet_accept(int fd) {
  LINNET_RESULT(accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC));
}
static inline ssize_t linnet_local_name(int fd, struct sockaddr_storage *address, socklen_t *length) {
  *length = sizeof(*address);
  LINNET_RESULT(getsockname(fd, (struct sockaddr *)address, length));
}
static inline ssize_t linnet_peer_name(int fd, struct sockaddr_storage *address, socklen_t *length) {
  *length = sizeof(*address);
  LINNET_RESULT(getpeername(fd, (struct sockaddr *)address, length));
}
static inline ssize_t linnet_recv(int fd, void *bytes, size_t count) {
  LINNET_RESULT(recv(fd, bytes, count, MSG_DONTWAIT));
}
static inline ssize_t linnet_send(int fd, const void *bytes, size_t count, int more) {
  LINNET_RESULT(send(fd, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT | (more ? MSG_MORE : 0)));
}
/// Whether a receive would find bytes, the end or an error; nothing is consumed.
static inline int linnet_has_input(int fd) {
  char byte;
  ssize_t result = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return result >= 0 || (errno != EAGAIN && errno != EINTR);
}
/// Whether a send would find room or an error, now.
static inline int linnet_is_writable(int fd) {
  struct pollfd query = {.fd = fd, .events = POLLOUT};
  return poll(&query, 1, 0) > 0;
}
static inline ssize_t linnet_shutdown_write(int fd) { LINNET_RESULT(shutdown(fd, SHUT_WR)); }
static inline ssize_t linnet_set_option(int fd, int level, int name, int value) {
  LINNET_RESULT(setsockopt(fd, level, name, &value, sizeof(value)));
}
static inline ssize_t linnet_bind_to_device(int fd, const char *name) {
  LINNET_RESULT(setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name, (socklen_t)strlen(name)));
}
static inline ssize_t linnet_get_option(int fd, int level, int name, int *value) {
  socklen_t length = sizeof(*value);
  LINNET_RESULT(getsockopt(fd, level, name, value, &length));
}
static inline ssize_t linnet_set_reset_on_close(int fd) {
  struct linger value = {.l_onoff = 1, .l_linger = 0};
  LINNET_RESULT(setsockopt(fd, SOL_SOCKET, SO_LINGER, &value, sizeof(value)));
}
static inline ssize_t linnet_socket_pair(int fds[2]) {
  LINNET_RESULT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds));
}
static inline int linnet_tcp_level(void) { return IPPROTO_TCP; }

// epoll and eventfd.

static inline ssize_t linnet_epoll_create(void) { LINNET_RESULT(epoll_create1(EPOLL_CLOEXEC)); }
static inline ssize_t linnet_epoll_add(int set, int fd, uint32_t events, uint64_t token) {
  struct epoll_event event = {.events = events | EPOLLET, .data = {.u64 = token}};
  LINNET_RESULT(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event));
}
static inline ssize_t linnet_epoll_delete(int set, int fd) {
  struct epoll_event unused = {0};
  LINNET_RESULT(epoll_ctl(set, EPOLL_CTL_DEL, fd, &unused));
}
static inline ssize_t linnet_epoll_wait(int set, struct epoll_event *events, int count, int milliseconds) {
  LINNET_RESULT(epoll_wait(set, events, count, milliseconds));
}
static inline uint64_t linnet_event_token(const struct epoll_event *event) { return event->data.u64; }
static inline uint32_t linnet_event_bits(const struct epoll_event *event) { return event->events; }
static inline uint32_t linnet_epoll_in(void) { return EPOLLIN; }
static inline uint32_t linnet_epoll_out(void) { return EPOLLOUT; }
static inline uint32_t linnet_epoll_peer_closed(void) { return EPOLLRDHUP; }
static inline uint32_t linnet_epoll_hang_up(void) { return EPOLLHUP; }
static inline uint32_t linnet_epoll_error(void) { return EPOLLERR; }
static inline ssize_t linnet_eventfd(void) { LINNET_RESULT(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)); }
static inline ssize_t linnet_eventfd_signal(int fd) {
  uint64_t one = 1;
  LINNET_RESULT(write(fd, &one, sizeof(one)));
}

// Files.

static inline ssize_t linnet_open(const char *path, int flags, mode_t mode) {
  LINNET_RESULT(open(path, flags | O_CLOEXEC, mode));
}
static inline ssize_t linnet_pread(int fd, void *bytes, size_t count, off_t offset) {
  LINNET_RESULT(pread(fd, bytes, count, offset));
}
static inline ssize_t linnet_pwrite(int fd, const void *bytes, size_t count, off_t offset) {
  LINNET_RESULT(pwrite(fd, bytes, count, offset));
}
static inline ssize_t linnet_read(int fd, void *bytes, size_t count) { LINNET_RESULT(read(fd, bytes, count)); }
static inline ssize_t linnet_write(int fd, const void *bytes, size_t count) { LINNET_RESULT(write(fd, bytes, count)); }
// For descriptors that may be a pipe without a reader: SIGPIPE is held back during the call and taken away if the call
// raised it, so that a log line cannot end the process.
static inline ssize_t linnet_write_without_signal(int fd, const void *bytes, size_t count) {
  sigset_t broken_pipe, before, pending;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  ssize_t result = write(fd, bytes, count);
  if (result < 0) result = -(ssize_t)errno;
  if (result == -EPIPE && !sigismember(&pending, SIGPIPE)) {
    struct timespec none = {0};
    while (sigtimedwait(&broken_pipe, NULL, &none) < 0 && errno == EINTR) {}
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return result;
}
static inline ssize_t linnet_fsync(int fd) { LINNET_RESULT(fsync(fd)); }
static inline ssize_t linnet_truncate(int fd, off_t length) { LINNET_RESULT(ftruncate(fd, length)); }
static inline ssize_t linnet_rename(const char *from, const char *to) { LINNET_RESULT(rename(from, to)); }
// 0 when a regular file stands at the path, or nothing.
static inline ssize_t linnet_check_replaceable(const char *path) {
  struct stat status;
  if (lstat(path, &status) != 0) return errno == ENOENT ? 0 : -(ssize_t)errno;
  return S_ISREG(status.st_mode) ? 0 : S_ISLNK(status.st_mode) ? -ELOOP : S_ISDIR(status.st_mode) ? -EISDIR : -EPERM;
}

static inline ssize_t linnet_unlink(const char *path) { LINNET_RESULT(unlink(path)); }
static inline ssize_t linnet_mkdir(const char *path, mode_t mode) { LINNET_RESULT(mkdir(path, mode)); }
static inline ssize_t linnet_close(int fd) { LINNET_RESULT(close(fd)); }
static inline ssize_t linnet_file_size(int fd, int64_t *size, int *is_regular) {
  struct stat status;
  if (fstat(fd, &status) != 0) return -(ssize_t)errno;
  *size = status.st_size;
  *is_regular = S_ISREG(status.st_mode);
  return 0;
}

// What a path leads to, without opening it: an open would wait for the writer of a pipe.
static inline ssize_t linnet_path_identity(const char *path, uint64_t *device, uint64_t *inode, int64_t *size,
                                           int *is_regular) {
  struct stat status;
  if (stat(path, &status) != 0) return -(ssize_t)errno;
  *device = status.st_dev;
  *inode = status.st_ino;
  *size = status.st_size;
  *is_regular = S_ISREG(status.st_mode);
  return 0;
}

static inline ssize_t linnet_file_identity(int fd, uint64_t *device, uint64_t *inode, int64_t *size,
                                           int *is_regular) {
  struct stat status;
  if (fstat(fd, &status) != 0) return -(ssize_t)errno;
  *device = status.st_dev;
  *inode = status.st_ino;
  *size = status.st_size;
  *is_regular = S_ISREG(status.st_mode);
  return 0;
}

// The permission bits and the time of the last change too; symbolic links are followed.
static inline ssize_t linnet_path_stamp(const char *path, uint64_t *device, uint64_t *inode, int64_t *size,
                                        int64_t *changed, uint32_t *mode) {
  struct stat status;
  if (stat(path, &status) != 0) return -(ssize_t)errno;
  *device = status.st_dev;
  *inode = status.st_ino;
  *size = status.st_size;
  // Of content or attributes: a program can set the other one back.
  *changed = (int64_t)status.st_ctim.tv_sec * 1000000000 + status.st_ctim.tv_nsec;
  *mode = status.st_mode;
  return 0;
}

// Clocks, in nanoseconds.

static inline uint64_t linnet_monotonic_now(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
static inline int64_t linnet_wall_now(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Threads and texts.

static inline uintptr_t linnet_current_thread(void) { return (uintptr_t)pthread_self(); }

/// Lets other threads that are ready run first.
static inline void linnet_yield_thread(void) { (void)sched_yield(); }

/// Starts a detached thread; returns 0 or the negated error number.
static inline int linnet_start_thread(void *(*run)(void *), void *context) {
  pthread_attr_t attributes;
  pthread_t thread;
  int result = pthread_attr_init(&attributes);
  if (result != 0) return -result;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  result = pthread_create(&thread, &attributes, run, context);
  pthread_attr_destroy(&attributes);
  return -result;
}

/// The text of an error number, without the shared buffer of `strerror`.
static inline void linnet_error_text(int number, char *buffer, size_t count) {
#if defined(__GLIBC__) && defined(__USE_GNU)
  const char *text = strerror_r(number, buffer, count);
  if (text != buffer) snprintf(buffer, count, "%s", text);
#else
  if (strerror_r(number, buffer, count) != 0) snprintf(buffer, count, "Unknown error %d", number);
#endif
}
#endif
