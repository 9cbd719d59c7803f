// gnomon: unknown
// What is only declared may be written by a function that is only declared.
#include <pthread.h>

extern void reach_error(void);
extern int shared;
extern void elsewhere(void);

void *one(void *argument)
{
    return 0;
}

int main(void)
{
    pthread_t thread;
    shared = 0;
    elsewhere();
    if (shared)
        reach_error();
    while (1)
        pthread_create(&thread, 0, one, 0);
}
