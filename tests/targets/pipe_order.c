// Two threads write to a pipe; the program believes that the first one is always first. With an argument it waits for
// a third letter that nobody writes.
#include <assert.h>
#include <pthread.h>
#include <unistd.h>

static int ends[2];

static void* say(void* letter) { return write(ends[1], letter, 1) == 1 ? NULL : letter; }

int main(int count, char** arguments) {
    pthread_t threads[2];
    char letters[3] = "";
    if (pipe(ends) != 0) return 1;
    pthread_create(&threads[0], NULL, say, "a");
    pthread_create(&threads[1], NULL, say, "b");
    for (int nth = 0; nth < count + 1; ++nth) {
        if (read(ends[0], &letters[nth], 1) != 1) return 1;
    }
    assert(count > 1 || letters[0] == 'a');
    for (int nth = 0; nth < 2; ++nth) pthread_join(threads[nth], NULL);
    return arguments[0] == NULL;
}
