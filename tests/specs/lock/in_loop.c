// gnomon: true
typedef struct { int locked; } pthread_mutex_t;
extern int pthread_mutex_lock(pthread_mutex_t *), pthread_mutex_unlock(pthread_mutex_t *);
extern int pthread_mutex_trylock(pthread_mutex_t *);
extern int __VERIFIER_nondet_int(void);
pthread_mutex_t m;
int main(void)
{
    int n = __VERIFIER_nondet_int();
    while (n > 0) {
        pthread_mutex_lock(&m);
        n--;
        pthread_mutex_unlock(&m);
    }
    return 0;
}
