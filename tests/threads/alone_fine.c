// gnomon: true --thread-errors deadlock,misuse
// A mutex used rightly where there is one thread.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return 0;
}
