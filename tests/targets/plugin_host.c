// Loads a library that synchronizes (its path is the argument) and uses it from two threads.
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static void (*add)(int);

static void* work(void* unused) {
    add(2);
    return unused;
}

int main(int count, char** arguments) {
    pthread_t thread;
    void* library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : NULL;
    if (!library) return 2;
    add = (void (*)(int))dlsym(library, "plugin_add");
    pthread_create(&thread, NULL, work, NULL);
    add(1);
    pthread_join(thread, NULL);
    printf("%d\n", *(int*)dlsym(library, "plugin_sum"));
    dlclose(library);
    return 0;
}
