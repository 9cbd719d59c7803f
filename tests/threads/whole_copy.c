// gnomon: true
// Copies of a structure that a lock protects are seen whole.
#include <pthread.h>
extern void reach_error(void);

struct pair { int first, second; } shared, ones = {1, 1};
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void *writer(void *arg)
{
    pthread_mutex_lock(&lock);
    shared = ones;
    pthread_mutex_unlock(&lock);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    pthread_mutex_lock(&lock);
    struct pair copy = shared;
    pthread_mutex_unlock(&lock);
    if (copy.first != copy.second)
        reach_error();
    pthread_join(thread, 0);
    return 0;
}
