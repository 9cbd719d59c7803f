// gnomon: true
// A queue of jobs under a lock: nobody gets the job of another.
#include <assert.h>
#include <pthread.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int head, done[2];

void take(void)
{
    int mine = -1;
    pthread_mutex_lock(&lock);
    if (head < 2) {
        mine = head;
        head = mine + 1;
    }
    pthread_mutex_unlock(&lock);
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
