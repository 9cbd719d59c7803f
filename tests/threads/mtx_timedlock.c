// gnomon: false
// mtx_timedlock may be late.

#include <threads.h>
#include <time.h>
extern void reach_error(void);
mtx_t lock;

int other(void *arg)
{
    struct timespec until = {0, 0};
    if (mtx_timedlock(&lock, &until) == thrd_timedout)
        reach_error();
    return 0;
}
int main(void)
{
    thrd_t thread;
    mtx_init(&lock, mtx_timed);
    mtx_lock(&lock);
    thrd_create(&thread, other, 0);
    thrd_join(thread, 0);
    return 0;
}
