// gnomon: false
// Two workers take the same job.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int head, done[2];

void take(void)
{
    int mine = -1;
    if (head < 2) {
        mine = head;
        head = mine + 1;
    }
    if (mine >= 0) {
        assert(!done[mine]);
        done[mine] = 1;
    }
}

void *worker(void *argument)
{
    take();
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    take();
    pthread_join(t, 0);
    return 0;
}
