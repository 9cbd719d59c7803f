// gnomon: true
// Initialisation once, conditions and thread-specific data of C11.
#include <assert.h>
#include <threads.h>

once_flag flag = ONCE_FLAG_INIT;
mtx_t lock;
cnd_t changed;
tss_t key;
int initialized, ready;

void initialize(void)
{
    initialized = initialized + 1;
}

int one(void *argument)
{
    call_once(&flag, initialize);
    tss_set(key, &ready);
    mtx_lock(&lock);
    ready = 1;
    cnd_signal(&changed);
    mtx_unlock(&lock);
    assert(tss_get(key) == &ready);
    thrd_exit(3);
}

int main(void)
{
    thrd_t t;
    int result;
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    tss_create(&key, 0);
    thrd_create(&t, one, 0);
    call_once(&flag, initialize);
    assert(initialized == 1 && !tss_get(key));
    mtx_lock(&lock);
    while (!ready)
        cnd_wait(&changed, &lock);
    mtx_unlock(&lock);
    thrd_join(t, &result);
    assert(result == 3);
    return 0;
}
