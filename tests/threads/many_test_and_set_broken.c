// gnomon: false
// The same with a lock that is read and set in two steps.
extern void reach_error(void);
extern void __VERIFIER_assume(int);
#include <pthread.h>

int word, inside;

void take(int *was)
{
    *was = word;
    word = 1;
}

void *one(void *argument)
{
    int was;
    take(&was);
    while (was)
        take(&was);
    inside = inside + 1;
    if (inside != 1)
        reach_error();
    inside = inside - 1;
    word = 0;
    return 0;
}

int main(void)
{
    pthread_t made;
    while (1)
        pthread_create(&made, 0, one, 0);
    return 0;
}
