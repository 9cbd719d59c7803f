// gnomon: true
// The result of a thread comes from outside, and nobody asks for it; nobody reads the arguments of main.
#include <pthread.h>
extern void reach_error(void);
extern void *__VERIFIER_nondet_pointer(void);
int shared;

void *other(void *arg)
{
    while (shared != 1)
        ;
    shared = 2;
    return __VERIFIER_nondet_pointer();
}
int main(int argc, char **argv)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    shared = 1;
    while (shared != 2)
        ;
    if (shared == 1)
        reach_error();
    return 0;
}
