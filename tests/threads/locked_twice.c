// gnomon: true
// A thread that locks a mutex twice waits for itself; a recursive mutex may be locked again, and trylock fails.
#include <pthread.h>
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, other;

int main(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&other, &attributes);
    if (pthread_mutex_lock(&other) || pthread_mutex_lock(&other))
        reach_error();
    pthread_mutex_lock(&plain);
    if (pthread_mutex_trylock(&plain) == 0)
        reach_error();
    if (__VERIFIER_nondet_int()) {
        pthread_mutex_lock(&plain);
        reach_error();
    }
    pthread_mutex_unlock(&plain);
    if (pthread_mutex_trylock(&plain))
        reach_error();
    return 0;
}
