// gnomon: false
// Threads that are made by one call have arguments of their own.
extern void reach_error(void);
#include <pthread.h>

int common;

void *one(void *argument)
{
    common = (int)(long)argument;
    if (common != (int)(long)argument)
        reach_error();
    return 0;
}

int main(void)
{
    pthread_t made;
    long number = 0;
    while (1) {
        number = 1 - number;
        pthread_create(&made, 0, one, (void *)number);
    }
    return 0;
}
