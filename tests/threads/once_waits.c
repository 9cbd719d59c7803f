// gnomon: true
// Who comes second to pthread_once waits for the end of the first.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

pthread_once_t once = PTHREAD_ONCE_INIT;
int begun, ended;

void initialize(void)
{
    begun++;
    ended++;
}
void *other(void *arg)
{
    pthread_once(&once, initialize);
    if (ended != 1 || begun != 1)
        reach_error();
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    pthread_once(&once, initialize);
    if (ended != 1 || begun != 1)
        reach_error();
    pthread_join(thread, 0);
    return 0;
}
