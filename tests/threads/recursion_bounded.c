// gnomon: true
// A function that calls itself five times on shared data, under a lock.
#include <pthread.h>
extern void reach_error(void);
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int sum;

void add(int count)
{
    if (count == 0)
        return;
    pthread_mutex_lock(&lock);
    sum++;
    pthread_mutex_unlock(&lock);
    add(count - 1);
}
void *other(void *arg)
{
    add(5);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    add(5);
    pthread_join(thread, 0);
    if (sum != 10)
        reach_error();
    return 0;
}
