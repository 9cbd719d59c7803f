// gnomon: unknown
// Destructors of thread-specific data are not modelled: this one would get the value when the thread ends.
#include <pthread.h>
#include <stdlib.h>
extern void reach_error(void);

pthread_key_t key;
int value = 5;

void destroy(void *what)
{
    if (*(int *)what == 5)
        reach_error();
}
void *other(void *arg)
{
    pthread_setspecific(key, &value);
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_key_create(&key, destroy);
    pthread_create(&thread, 0, other, 0);
    pthread_join(thread, 0);
    return 0;
}
