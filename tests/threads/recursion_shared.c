// gnomon: false
// A function that calls itself shares data with a thread.
#include <pthread.h>
extern void reach_error(void);
int turns, stop;

void *stopper(void *arg)
{
    stop = 1;
    return 0;
}
int descend(int depth)
{
    turns++;
    if (stop)
        return depth;
    return descend(depth + 1);
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, stopper, 0);
    if (descend(0) == 6)
        reach_error();
    pthread_join(thread, 0);
    return 0;
}
