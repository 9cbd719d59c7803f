// gnomon: false 20 the lock is still held at the end
typedef struct { int locked; } pthread_mutex_t;
extern int pthread_mutex_lock(pthread_mutex_t *), pthread_mutex_unlock(pthread_mutex_t *);
extern int pthread_mutex_trylock(pthread_mutex_t *);
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t m;
static int work(int n)
{
    pthread_mutex_lock(&m);
    if (n < 0)
        return -1;
    pthread_mutex_unlock(&m);
    return n;
}
int main(void)
{
    int done = work(__VERIFIER_nondet_int());
    if (done >= 0)
        work(1);
    return 0;
}
