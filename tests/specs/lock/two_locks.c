// gnomon: true
typedef struct { int locked; } pthread_mutex_t;
extern int pthread_mutex_lock(pthread_mutex_t *), pthread_mutex_unlock(pthread_mutex_t *);
extern int pthread_mutex_trylock(pthread_mutex_t *);
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t a, b;
int main(void)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return 0;
}
