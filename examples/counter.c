// Two threads count without a lock.
#include <assert.h>
#include <pthread.h>

static int count;

static void *worker(void *unused) {
    (void)unused;
    count = count + 1;
    return 0;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, 0, worker, 0);
    pthread_create(&second, 0, worker, 0);
    pthread_join(first, 0);
    pthread_join(second, 0);
    assert(count == 2);
    return 0;
}
