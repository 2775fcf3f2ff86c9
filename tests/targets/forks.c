// Starts processes in every usual way and uses what they say.
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
extern char** environ;

int main(void) {
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        pthread_mutex_lock(&mutex);
        pthread_mutex_unlock(&mutex);
        _exit(3);
    }
    waitpid(child, &status, 0);
    printf("fork %d\n", WEXITSTATUS(status));
    printf("system %d\n", WEXITSTATUS(system("exit 4")));
    char* arguments[] = {"sh", "-c", "exit 5", NULL};
    posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ);
    waitpid(child, &status, 0);
    printf("spawn %d\n", WEXITSTATUS(status));
    fflush(stdout);
    if (system("echo said by a child") != 0) return 1;
    FILE* pipe = popen("echo text | cat", "r");
    char line[32] = "";
    if (!fgets(line, sizeof line, pipe)) return 1;
    printf("pipe %s", line);
    pclose(pipe);
    return 0;
}
