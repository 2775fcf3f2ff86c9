// Threads that hand something over through the kernel: a pipe, an eventfd, sockets, epoll, a timerfd.
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

static int pipe_ends[2];
static int event;
static int sockets[2];

static void* serve(void* unused) {
    char letter;
    while (read(pipe_ends[0], &letter, 1) == 1) printf("pipe %c\n", letter);
    struct pollfd wanted = {event, POLLIN, 0};
    eventfd_t value = 0;
    printf("poll %d\n", poll(&wanted, 1, -1));
    eventfd_read(event, &value);
    printf("event %d\n", (int)value);
    fd_set set;
    FD_ZERO(&set);
    FD_SET(sockets[0], &set);
    printf("select %d\n", select(sockets[0] + 1, &set, NULL, NULL, NULL));
    recv(sockets[0], &letter, 1, 0);
    printf("socket %c\n", letter);
    int watched = epoll_create1(0);
    struct epoll_event change = {.events = EPOLLIN, .data = {.u32 = 7}};
    epoll_ctl(watched, EPOLL_CTL_ADD, sockets[0], &change);
    change.data.u32 = 0;
    printf("epoll %d", epoll_wait(watched, &change, 1, -1));
    printf(" %d\n", (int)change.data.u32);
    printf("nobody %d\n", (int)recv(sockets[0], &letter, 1, MSG_DONTWAIT));
    return unused;
}

int main(void) {
    pthread_t thread;
    if (pipe(pipe_ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return 1;
    event = eventfd(0, 0);
    pthread_create(&thread, NULL, serve, NULL);
    if (write(pipe_ends[1], "ab", 2) != 2) return 1;
    if (write(pipe_ends[1], "c", 1) != 1) return 1;
    close(pipe_ends[1]);
    eventfd_write(event, 5);
    send(sockets[1], "x", 1, 0);
    shutdown(sockets[1], SHUT_WR);
    pthread_join(thread, NULL);
    return 0;
}
