// gnomon: true
typedef struct { int locked; } pthread_mutex_t;
extern int pthread_mutex_lock(pthread_mutex_t *), pthread_mutex_unlock(pthread_mutex_t *);
extern int pthread_mutex_trylock(pthread_mutex_t *);
extern int __VERIFIER_nondet_int(void);
struct account { int balance; pthread_mutex_t guard; } accounts[4];
int main(void)
{
    unsigned i = __VERIFIER_nondet_int();
    if (i >= 4)
        return 0;
    pthread_mutex_lock(&accounts[i].guard);
    accounts[i].balance++;
    pthread_mutex_unlock(&accounts[i].guard);
    return 0;
}
