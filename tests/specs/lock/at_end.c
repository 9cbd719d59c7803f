// gnomon: false 12 the lock is still held at the end
typedef struct { int locked; } pthread_mutex_t;
extern int pthread_mutex_lock(pthread_mutex_t *), pthread_mutex_unlock(pthread_mutex_t *);
extern int pthread_mutex_trylock(pthread_mutex_t *);
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t m;
int main(void)
{
    pthread_mutex_lock(&m);
    if (__VERIFIER_nondet_int() == 7)
        pthread_mutex_unlock(&m);
    return 0;
}
