// gnomon: false --thread-errors deadlock
// A mutex locked twice is a deadlock also where there is one thread.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    return 0;
}
