/* SPDX-License-Identifier: MIT
 *
 * Life of a PD process.
 *
 * A thread, the watcher, starts the process and stays until it has ended. PR_SET_PDEATHSIG refers to the death of the
 * parent *thread*, so a PD started by a short-lived thread of the application would be killed with that thread. The
 * watcher lives as long as the process, so the signal arrives exactly when this program dies, for whatever reason. If
 * the program dies between clone and prctl, the child notices that its parent has changed. As a last resort the PD
 * program exits at the end of file of its control socket.
 *
 * The child is created with CLONE_VM | CLONE_VFORK, so a large Python process is not copied, and with CLONE_PIDFD, so
 * that the process can be signalled without its number, which the application may reap behind our back. It has a
 * session of its own: Ctrl-C in the terminal reaches only the application, as with a real DSP.
 */
#define _GNU_SOURCE
#include "engine_qemu.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "log.h"

/* Kernel ABI that the headers of an old C library may lack; the numbers are the same on every architecture. */
#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif
#define SYS_PIDFD_SEND_SIGNAL 424
#define SYS_CLOSE_RANGE 436
#define P_PIDFD_ID 3

#define NEWEST_CPU 0x73u /* of QEMU 10 and 11 */

extern char **environ;

struct start {
    struct qemu_process *process;
    char qemu[PATH_MAX];
    char program[PATH_MAX];
    char cpu[16];
    int parent; /* process number before clone */
    int child_control, child_log, child_null;
    sem_t done;
    int error; /* errno of the start */
};

static bool executable(const char *path) {
    return access(path, X_OK) == 0;
}

/* Searches PYHEXAGON_QEMU, then the file fetched by pyhexagon get-qemu, then PATH. */
static bool find_qemu(char *path) {
    const char *wish = getenv("PYHEXAGON_QEMU");
    if (wish && *wish) {
        snprintf(path, PATH_MAX, "%s", wish);
        if (!executable(path)) {
            log_line("qemu: PYHEXAGON_QEMU is %s, which cannot be executed", path);
            return false;
        }
        return true;
    }
    struct utsname machine;
    uname(&machine);
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache) {
        snprintf(path, PATH_MAX, "%s/pyhexagon/qemu/%s/qemu-hexagon", cache, machine.machine);
    } else {
        snprintf(path, PATH_MAX, "%s/.cache/pyhexagon/qemu/%s/qemu-hexagon", home ? home : "", machine.machine);
    }
    if (executable(path)) {
        return true;
    }
    static const char *const names[] = {"qemu-hexagon", "qemu-hexagon-static"};
    const char *list = getenv("PATH");
    for (size_t i = 0; list && i < sizeof names / sizeof names[0]; i++) {
        for (const char *directory = list; *directory;) {
            size_t length = strcspn(directory, ":");
            snprintf(path, PATH_MAX, "%.*s/%s", (int)length, directory, names[i]);
            if (length > 0 && executable(path)) {
                return true;
            }
            directory += length + (directory[length] == ':');
        }
    }
    log_line(
        "qemu: no qemu-hexagon: run pyhexagon get-qemu, put one (10 or newer) on PATH or name it in PYHEXAGON_QEMU");
    return false;
}

/* Finds the PD program in the directory of this library. */
static bool find_program(char *path) {
    Dl_info self;
    if (!dladdr((void *)&qemu_process_start, &self) || !self.dli_fname) {
        return false;
    }
    const char *slash = strrchr(self.dli_fname, '/');
    int length = slash ? (int)(slash - self.dli_fname) : 1;
    snprintf(path, PATH_MAX, "%.*s/pyhexagon-pd", length, slash ? self.dli_fname : ".");
    if (!executable(path)) {
        log_line("qemu: the PD program %s is missing (was it built? see dsp/cmake/skel.cmake)", path);
        return false;
    }
    return true;
}

/* Runs in the child, which shares our memory until execve: only system calls are allowed. */
static int child(void *argument) {
    struct start *start = argument;
    struct rlimit no_core = {0, 0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != start->parent) {
        _exit(127); /* the program died before the previous line */
    }
    setsid();
    setrlimit(RLIMIT_CORE, &no_core);
    dup2(start->child_null, 0);
    dup2(start->child_log, 1);
    dup2(start->child_log, 2);
    dup2(start->child_control, PD_SOCKET_FD);
    syscall(SYS_CLOSE_RANGE, PD_SOCKET_FD + 1, ~0u, 0);
    for (int number = 1; number < NSIG; number++) {
        signal(number, SIG_DFL); /* the table is our own copy; a handler of the application must not run here */
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    char cpu_option[] = "-cpu";
    char *arguments[] = {start->qemu, cpu_option, start->cpu, start->program, NULL};
    execve(start->qemu, arguments, environ);
    start->error = errno;
    _exit(127);
}

/* Duplicates `fd` to a number that dup2 does not use in the child, and closes `fd`. */
static int move_up(int fd) {
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, 16);
    close(fd);
    return moved;
}

static void close_all(const int *fds, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
}

static bool spawn(struct start *start) {
    struct qemu_process *process = start->process;
    enum {
        STACK = 65536
    };
    int sockets[2] = {-1, -1}, pipes[2] = {-1, -1}, null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    char *stack = malloc(STACK);
    bool made = stack && null >= 0 && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) == 0 &&
                pipe2(pipes, O_CLOEXEC) == 0;
    if (made) {
        start->child_control = sockets[1] = move_up(sockets[1]);
        start->child_log = pipes[1] = move_up(pipes[1]);
        start->child_null = null = move_up(null);
        start->parent = getpid();
        process->pidfd = -1;
        /* The stack top has the alignment that every supported ABI requires. */
        process->pid = clone(child, stack + STACK - 64, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, start,
                             &process->pidfd);
        made = process->pid > 0 && start->error == 0;
        if (process->pid > 0 && !made) {
            waitid((idtype_t)P_PIDFD_ID, (id_t)process->pidfd, &(siginfo_t){0}, WEXITED | __WALL);
            close(process->pidfd);
        }
    }
    if (!made && start->error == 0) {
        start->error = errno;
    }
    free(stack);
    close_all((int[]){null, sockets[1], pipes[1]}, 3);
    if (!made) {
        close_all((int[]){sockets[0], pipes[0]}, 2);
        return false;
    }
    process->control = sockets[0];
    process->log = pipes[0];
    return true;
}

/* Logs complete lines and keeps the rest. Returns false when the pipe is empty, for now or at its end. */
static bool read_log(struct qemu_process *process, char *line, size_t room, size_t *used) {
    ssize_t n = read(process->log, line + *used, room - *used);
    if (n <= 0) {
        return false;
    }
    *used += (size_t)n;
    size_t begin = 0;
    for (size_t i = 0; i < *used; i++) {
        if (line[i] == '\n' || (begin == 0 && i + 1 == room)) {
            log_line("%.*s", (int)(i - begin), line + begin);
            begin = i + 1;
        }
    }
    memmove(line, line + begin, *used - begin);
    *used -= begin;
    pthread_mutex_lock(&process->log_lock);
    process->log_bytes += (uint64_t)n;
    pthread_cond_broadcast(&process->log_moved);
    pthread_mutex_unlock(&process->log_lock);
    return true;
}

static void log_end(const struct qemu_process *process) {
    siginfo_t info = {0};
    if (waitid((idtype_t)P_PIDFD_ID, (id_t)process->pidfd, &info, WEXITED | __WALL) != 0 || info.si_pid == 0) {
        log_line("pd %d: ended", process->pid); /* the application waits for all children, or ignores SIGCHLD */
    } else if (info.si_code == CLD_EXITED) {
        log_line("pd %d: exited with status %d", process->pid, info.si_status);
    } else if (info.si_status != SIGKILL || !atomic_load(&process->killed)) {
        log_line("pd %d: killed by signal %d (%s)", process->pid, info.si_status, strsignal(info.si_status));
    }
}

static void *watch(void *argument) {
    struct start *start = argument;
    struct qemu_process *process = start->process;
    bool started = spawn(start);
    sem_post(&start->done); /* `start` is invalid from here on */
    if (!started) {
        return NULL;
    }
    char line[1024];
    size_t used = 0;
    fcntl(process->log, F_SETFL, O_NONBLOCK);
    for (bool alive = true; alive;) {
        struct pollfd fds[2] = {{.fd = process->pidfd, .events = POLLIN}, {.fd = process->log, .events = POLLIN}};
        if (poll(fds, 2, -1) < 0) {
            continue; /* every signal is blocked here, so this is EINTR from a debugger */
        }
        alive = !fds[0].revents;
        while (read_log(process, line, sizeof line, &used)) {
        }
        if (alive && (fds[1].revents & POLLHUP)) {
            poll(fds, 1, -1); /* the PD closed its output: only its end remains to be awaited */
            alive = false;
        }
    }
    if (used > 0) {
        log_line("%.*s", (int)used, line);
    }
    log_end(process);
    atomic_store(&process->ended, true);
    process->on_end(process->context);
    return NULL;
}

bool qemu_process_start(struct qemu_process *process) {
    struct start *start = calloc(1, sizeof *start);
    if (!start) {
        return false;
    }
    start->process = process;
    snprintf(start->cpu, sizeof start->cpu, "v%x", process->arch < NEWEST_CPU ? process->arch : NEWEST_CPU);
    bool started = find_qemu(start->qemu) && find_program(start->program);
    if (started) {
        sem_init(&start->done, 0, 0);
        pthread_mutex_init(&process->log_lock, NULL);
        pthread_cond_init(&process->log_moved, NULL);
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        int error = pthread_create(&process->watcher, NULL, watch, start);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (error == 0) {
            while (sem_wait(&start->done) != 0) {
            }
            error = start->error;
            if (error != 0) {
                pthread_join(process->watcher, NULL);
            }
        }
        started = error == 0;
        if (!started) {
            log_line("qemu: cannot start %s: %s", start->qemu, strerror(error));
            pthread_cond_destroy(&process->log_moved);
            pthread_mutex_destroy(&process->log_lock);
        }
        sem_destroy(&start->done);
    }
    free(start);
    return started;
}

void qemu_process_kill(struct qemu_process *process) {
    atomic_store(&process->killed, true);
    long rc = syscall(SYS_PIDFD_SEND_SIGNAL, process->pidfd, SIGKILL, NULL, 0);
    if (rc != 0 && errno != ESRCH) {
        kill(process->pid, SIGKILL); /* a container's system call filter may not know the call yet */
    }
}

void qemu_process_sync_log(struct qemu_process *process, uint64_t bytes) {
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += 1;
    pthread_mutex_lock(&process->log_lock);
    while (process->log_bytes < bytes && !atomic_load(&process->ended) &&
           pthread_cond_timedwait(&process->log_moved, &process->log_lock, &limit) == 0) {
    }
    pthread_mutex_unlock(&process->log_lock);
}

void qemu_process_join(struct qemu_process *process) {
    pthread_join(process->watcher, NULL);
    close(process->control);
    close(process->log);
    close(process->pidfd);
    pthread_cond_destroy(&process->log_moved);
    pthread_mutex_destroy(&process->log_lock);
}
