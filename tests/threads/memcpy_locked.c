// gnomon: true
// memcpy under a lock is seen whole.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

#include <string.h>
struct pair { int first, second; } shared, ones = {1, 1};
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *writer(void *arg)
{
    pthread_mutex_lock(&lock);
    memcpy(&shared, &ones, sizeof shared);
    pthread_mutex_unlock(&lock);
    return 0;
}
int main(void)
{
    struct pair copy;
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    pthread_mutex_lock(&lock);
    memcpy(&copy, &shared, sizeof copy);
    pthread_mutex_unlock(&lock);
    if (copy.first != copy.second)
        reach_error();
    pthread_join(thread, 0);
    return 0;
}
