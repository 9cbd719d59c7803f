// gnomon: false --thread-errors misuse
// A mutex is unlocked that is not held, where there is one thread.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    pthread_mutex_unlock(&lock);
    return 0;
}
