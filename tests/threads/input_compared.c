// gnomon: true
// An input that is compared with constants only: few values stand for all.
#include <pthread.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int shared;

void *other(void *arg)
{
    int chosen = __VERIFIER_nondet_int();
    if (chosen > 10 && chosen < 20)
        shared = 1;
    if (chosen == 42)
        shared = 2;
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    pthread_join(thread, 0);
    if (shared == 3)
        reach_error();
    return 0;
}
