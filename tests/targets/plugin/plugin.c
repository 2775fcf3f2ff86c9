// The library that plugin_host loads.
#include <pthread.h>

static pthread_mutex_t plugin_mutex = PTHREAD_MUTEX_INITIALIZER;
int plugin_sum;

void plugin_add(int number) {
    pthread_mutex_lock(&plugin_mutex);
    plugin_sum += number;
    pthread_mutex_unlock(&plugin_mutex);
}
