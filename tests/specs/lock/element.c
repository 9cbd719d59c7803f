// gnomon: false 13 the lock is taken while it is held
typedef struct { int locked; } pthread_mutex_t;
extern int pthread_mutex_lock(pthread_mutex_t *), pthread_mutex_unlock(pthread_mutex_t *);
extern int pthread_mutex_trylock(pthread_mutex_t *);
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t locks[4];
int main(void)
{
    unsigned i = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int();
    if (i >= 4 || j >= 4 || i > j)
        return 0;
    pthread_mutex_lock(&locks[i]);
    pthread_mutex_lock(&locks[j]);
    pthread_mutex_unlock(&locks[i]);
    pthread_mutex_unlock(&locks[j]);
    return 0;
}
