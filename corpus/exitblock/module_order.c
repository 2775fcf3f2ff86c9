// ExitBlock, section 7: modules that are each synchronized correctly, and that are wrong together in some orders. A
// registry, a loader that fills it, and users that look something up; nothing says that the loader has to be first.
// No preemption: a user's thread runs before the loader's.
// Fixed: users wait until the registry is loaded.
#include <assert.h>

#include "corpus/threads.h"

struct Registry {
    pthread_mutex_t mutex;
    pthread_cond_t loaded_changed;
    int loaded;
    int entries;
};

static struct Registry registry = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

static void load(void) {
    pthread_mutex_lock(&registry.mutex);
    registry.entries = 10;
    registry.loaded = 1;
    pthread_cond_broadcast(&registry.loaded_changed);
    pthread_mutex_unlock(&registry.mutex);
}

static int look_up(void) {
    pthread_mutex_lock(&registry.mutex);
#ifdef FIXED
    while (!registry.loaded) pthread_cond_wait(&registry.loaded_changed, &registry.mutex);
#endif
    const int entries = registry.entries;
    pthread_mutex_unlock(&registry.mutex);
    return entries;
}

static void* run(void* number) {
    if (number == NULL) {
        load();
    } else {
        const int entries = look_up();
        assert(entries == 10);  // BUG
    }
    return number;
}

// module_order [THREADS]: the first of them loads
int main(int count, char** arguments) {
    run_threads(number_argument(count, arguments, 1, 3, 2, most_threads), run);
    return 0;
}
