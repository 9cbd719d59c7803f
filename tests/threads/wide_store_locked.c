// gnomon: true -m32
// A lock keeps both halves of a number of 64 bits together.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

long long shared;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *writer(void *arg)
{
    pthread_mutex_lock(&lock);
    shared = -1;
    pthread_mutex_unlock(&lock);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    pthread_mutex_lock(&lock);
    long long seen = shared;
    pthread_mutex_unlock(&lock);
    if (seen != 0 && seen != -1)
        reach_error();
    pthread_join(thread, 0);
    return 0;
}
