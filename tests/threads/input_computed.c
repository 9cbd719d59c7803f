// gnomon: false
// An input that is computed with has more values than those compared with.
#include <pthread.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int shared;

void *other(void *arg)
{
    int chosen = __VERIFIER_nondet_int();
    int copy = chosen;
    if (copy != 7)
        shared = copy - 100;
    return 0;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    pthread_join(thread, 0);
    if (shared == 23)
        reach_error();
    return 0;
}
