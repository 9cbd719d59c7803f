// gnomon: true
typedef struct { int locked; } pthread_mutex_t;
extern int pthread_mutex_lock(pthread_mutex_t *), pthread_mutex_unlock(pthread_mutex_t *);
extern int pthread_mutex_trylock(pthread_mutex_t *);
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t a, b;
static void work(pthread_mutex_t *m)
{
    pthread_mutex_lock(m);
    pthread_mutex_unlock(m);
}
int main(void)
{
    work(__VERIFIER_nondet_int() ? &a : &b);
    work(&a);
    return 0;
}
