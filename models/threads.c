// Threads and what they synchronise with, over operations that only the reduction to a sequential
// program understands (crates/threads). The state of a primitive is in the object that the user
// declares, in words that all bytes zero leave as its static initialiser does. Operations succeed:
// no lock and no thread runs out of resources.

// model: pthread_create
extern unsigned long __gnomon_spawn(void *(*start)(void *), void *argument);
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
int pthread_create(unsigned long *thread, const void *attributes, void *(*start)(void *),
                   void *argument)
{
    unsigned long made;
    __gnomon_atomic_begin();
    made = __gnomon_spawn(start, argument);
    if (thread)
        *thread = made;
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_join
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_await(int enabled);
extern int __gnomon_ended(unsigned long thread);
extern unsigned long __gnomon_self(void);
extern void *__gnomon_result_of(unsigned long thread);
int pthread_join(unsigned long thread, void **result)
{
    if (thread == __gnomon_self())
        return 35;
    __gnomon_atomic_begin();
    __gnomon_await(__gnomon_ended(thread));
    if (result)
        *result = __gnomon_result_of(thread);
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_exit
extern void __gnomon_exit_thread(void *result);
void pthread_exit(void *result)
{
    __gnomon_exit_thread(result);
}

// model: pthread_self
extern unsigned long __gnomon_self(void);
unsigned long pthread_self(void)
{
    return __gnomon_self();
}

// model: pthread_equal
int pthread_equal(unsigned long one, unsigned long other)
{
    return one == other;
}

// A thread that is detached already, or whose number none has, is an error (EINVAL, ESRCH).
// model: pthread_detach
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
_Bool __gnomon_detached[64];
int pthread_detach(unsigned long thread)
{
    int result = 0;
    if (thread == 0 || thread > 63)
        return 3;
    __gnomon_atomic_begin();
    if (__gnomon_detached[thread])
        result = 22;
    __gnomon_detached[thread] = 1;
    __gnomon_atomic_end();
    return result;
}

// model: pthread_mutex_init
int pthread_mutex_init(void *mutex, const void *attributes)
{
    ((int *)mutex)[0] = 0;
    ((unsigned *)mutex)[1] = 0;
    ((int *)mutex)[sizeof(long) == 8 ? 4 : 3] = attributes ? *(int *)attributes : 0;
    return 0;
}

// model: pthread_mutex_lock
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_await(int enabled);
extern unsigned long __gnomon_self(void);
extern void __gnomon_misuse(const char *what);
int pthread_mutex_lock(void *mutex)
{
    int self = (int)__gnomon_self();
    __gnomon_atomic_begin();
    if (((int *)mutex)[0] == -1)
        __gnomon_misuse("a mutex is locked that was destroyed");
    if (((int *)mutex)[sizeof(long) == 8 ? 4 : 3] == 1) {
        __gnomon_await(((int *)mutex)[0] == 0 || ((int *)mutex)[0] == self);
        ((unsigned *)mutex)[1] = ((unsigned *)mutex)[1] + 1;
    } else if (((int *)mutex)[sizeof(long) == 8 ? 4 : 3] == 2) {
        if (((int *)mutex)[0] == self) {
            __gnomon_atomic_end();
            return 35;
        }
        __gnomon_await(((int *)mutex)[0] == 0);
    } else
        __gnomon_await(((int *)mutex)[0] == 0);
    ((int *)mutex)[0] = self;
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_mutex_trylock
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern unsigned long __gnomon_self(void);
extern void __gnomon_misuse(const char *what);
int pthread_mutex_trylock(void *mutex)
{
    int self = (int)__gnomon_self();
    __gnomon_atomic_begin();
    if (((int *)mutex)[0] == -1)
        __gnomon_misuse("a mutex is locked that was destroyed");
    if (((int *)mutex)[sizeof(long) == 8 ? 4 : 3] == 1) {
        if (((int *)mutex)[0] != 0 && ((int *)mutex)[0] != self) {
            __gnomon_atomic_end();
            return 16;
        }
        ((unsigned *)mutex)[1] = ((unsigned *)mutex)[1] + 1;
    } else if (((int *)mutex)[0] != 0) {
        __gnomon_atomic_end();
        return 16;
    }
    ((int *)mutex)[0] = self;
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_mutex_unlock
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern unsigned long __gnomon_self(void);
extern void __gnomon_misuse(const char *what);
int pthread_mutex_unlock(void *mutex)
{
    int self = (int)__gnomon_self();
    __gnomon_atomic_begin();
    if (((int *)mutex)[0] != self) {
        __gnomon_misuse("a mutex is unlocked that the thread does not hold");
        if (((int *)mutex)[sizeof(long) == 8 ? 4 : 3] != 0) {
            __gnomon_atomic_end();
            return 1;
        }
    }
    if (((int *)mutex)[sizeof(long) == 8 ? 4 : 3] == 1) {
        ((unsigned *)mutex)[1] = ((unsigned *)mutex)[1] - 1;
        if (((unsigned *)mutex)[1] == 0)
            ((int *)mutex)[0] = 0;
    } else
        ((int *)mutex)[0] = 0;
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_mutex_destroy
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_misuse(const char *what);
int pthread_mutex_destroy(void *mutex)
{
    __gnomon_atomic_begin();
    if (((int *)mutex)[0] != 0)
        __gnomon_misuse("a mutex is destroyed that is held, or was destroyed before");
    ((int *)mutex)[0] = -1;
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_mutexattr_init
int pthread_mutexattr_init(void *attributes)
{
    *(int *)attributes = 0;
    return 0;
}

// model: pthread_mutexattr_destroy
int pthread_mutexattr_destroy(void *attributes)
{
    return 0;
}

// model: pthread_mutexattr_settype
int pthread_mutexattr_settype(void *attributes, int kind)
{
    *(int *)attributes = kind;
    return 0;
}

// model: pthread_attr_init
int pthread_attr_init(void *attributes)
{
    return 0;
}

// model: pthread_attr_destroy
int pthread_attr_destroy(void *attributes)
{
    return 0;
}

// model: pthread_attr_setdetachstate
int pthread_attr_setdetachstate(void *attributes, int state)
{
    return 0;
}

// model: pthread_attr_setstacksize
int pthread_attr_setstacksize(void *attributes, unsigned long size)
{
    return 0;
}

// model: pthread_attr_setschedpolicy
int pthread_attr_setschedpolicy(void *attributes, int policy)
{
    return 0;
}

// model: pthread_mutexattr_setpshared
int pthread_mutexattr_setpshared(void *attributes, int shared)
{
    return 0;
}

// model: pthread_mutexattr_setprotocol
int pthread_mutexattr_setprotocol(void *attributes, int protocol)
{
    return 0;
}

// model: pthread_cond_init
int pthread_cond_init(void *condition, const void *attributes)
{
    return 0;
}

// model: pthread_cond_destroy
int pthread_cond_destroy(void *condition)
{
    return 0;
}

// model: pthread_condattr_init
int pthread_condattr_init(void *attributes)
{
    return 0;
}

// model: pthread_condattr_destroy
int pthread_condattr_destroy(void *attributes)
{
    return 0;
}

// model: pthread_condattr_setclock
int pthread_condattr_setclock(void *attributes, int clock)
{
    return 0;
}

// model: pthread_yield
int pthread_yield(void)
{
    return 0;
}

// model: sched_yield
int sched_yield(void)
{
    return 0;
}

// model: pthread_setname_np
int pthread_setname_np(unsigned long thread, const char *name)
{
    return 0;
}

// model: thrd_detach
int thrd_detach(unsigned long thread)
{
    return 0;
}

// model: cnd_init
int cnd_init(void *condition)
{
    return 0;
}

// model: thrd_sleep
int thrd_sleep(const void *duration, void *remaining)
{
    return 0;
}

// model: thrd_yield
void thrd_yield(void)
{
}

// model: cnd_destroy
void cnd_destroy(void *condition)
{
}

// model: pthread_cond_wait
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_await(int enabled);
extern unsigned long __gnomon_self(void);
extern void __gnomon_misuse(const char *what);
extern void __gnomon_sleep_on(const void *object);
extern int __gnomon_asleep(void);
extern int __gnomon_spurious(void);
int pthread_cond_wait(void *condition, void *mutex)
{
    int self = (int)__gnomon_self();
    int woken;
    __gnomon_atomic_begin();
    if (((int *)mutex)[0] != self)
        __gnomon_misuse("a thread waits with a mutex that it does not hold");
    ((int *)mutex)[0] = 0;
    __gnomon_sleep_on(condition);
    __gnomon_atomic_end();
    __gnomon_atomic_begin();
    woken = !__gnomon_asleep();
    if (!woken)
        woken = __gnomon_spurious();
    __gnomon_await(woken && ((int *)mutex)[0] == 0);
    __gnomon_sleep_on(0);
    ((int *)mutex)[0] = self;
    __gnomon_atomic_end();
    return 0;
}

// It may be late whenever the mutex is free, and may have been woken as well.
// model: pthread_cond_timedwait
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_await(int enabled);
extern unsigned long __gnomon_self(void);
extern void __gnomon_misuse(const char *what);
extern void __gnomon_sleep_on(const void *object);
extern _Bool __VERIFIER_nondet_bool(void);
int pthread_cond_timedwait(void *condition, void *mutex, const void *until)
{
    int self = (int)__gnomon_self();
    __gnomon_atomic_begin();
    if (((int *)mutex)[0] != self)
        __gnomon_misuse("a thread waits with a mutex that it does not hold");
    ((int *)mutex)[0] = 0;
    __gnomon_sleep_on(condition);
    __gnomon_atomic_end();
    __gnomon_atomic_begin();
    __gnomon_await(((int *)mutex)[0] == 0);
    __gnomon_sleep_on(0);
    ((int *)mutex)[0] = self;
    __gnomon_atomic_end();
    return __VERIFIER_nondet_bool() ? 110 : 0;
}

// model: cnd_wait
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_await(int enabled);
extern unsigned long __gnomon_self(void);
extern void __gnomon_misuse(const char *what);
extern void __gnomon_sleep_on(const void *object);
extern int __gnomon_asleep(void);
extern int __gnomon_spurious(void);
int cnd_wait(void *condition, void *mutex)
{
    int self = (int)__gnomon_self();
    int woken;
    __gnomon_atomic_begin();
    if (((int *)mutex)[0] != self)
        __gnomon_misuse("a thread waits with a mutex that it does not hold");
    ((int *)mutex)[0] = 0;
    __gnomon_sleep_on(condition);
    __gnomon_atomic_end();
    __gnomon_atomic_begin();
    woken = !__gnomon_asleep();
    if (!woken)
        woken = __gnomon_spurious();
    __gnomon_await(woken && ((int *)mutex)[0] == 0);
    __gnomon_sleep_on(0);
    ((int *)mutex)[0] = self;
    __gnomon_atomic_end();
    return 0;
}

// It may be late whenever the mutex is free, and may have been woken as well.
// model: cnd_timedwait
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_await(int enabled);
extern unsigned long __gnomon_self(void);
extern void __gnomon_misuse(const char *what);
extern void __gnomon_sleep_on(const void *object);
extern _Bool __VERIFIER_nondet_bool(void);
int cnd_timedwait(void *condition, void *mutex, const void *until)
{
    int self = (int)__gnomon_self();
    __gnomon_atomic_begin();
    if (((int *)mutex)[0] != self)
        __gnomon_misuse("a thread waits with a mutex that it does not hold");
    ((int *)mutex)[0] = 0;
    __gnomon_sleep_on(condition);
    __gnomon_atomic_end();
    __gnomon_atomic_begin();
    __gnomon_await(((int *)mutex)[0] == 0);
    __gnomon_sleep_on(0);
    ((int *)mutex)[0] = self;
    __gnomon_atomic_end();
    return __VERIFIER_nondet_bool() ? 4 : 0;
}

// model: pthread_cond_signal
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_wake_one(const void *object);
int pthread_cond_signal(void *condition)
{
    __gnomon_atomic_begin();
    __gnomon_wake_one(condition);
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_cond_broadcast
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_wake_all(const void *object);
int pthread_cond_broadcast(void *condition)
{
    __gnomon_atomic_begin();
    __gnomon_wake_all(condition);
    __gnomon_atomic_end();
    return 0;
}

// model: cnd_signal
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_wake_one(const void *object);
int cnd_signal(void *condition)
{
    __gnomon_atomic_begin();
    __gnomon_wake_one(condition);
    __gnomon_atomic_end();
    return 0;
}

// model: cnd_broadcast
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_wake_all(const void *object);
int cnd_broadcast(void *condition)
{
    __gnomon_atomic_begin();
    __gnomon_wake_all(condition);
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_rwlock_init
int pthread_rwlock_init(void *lock, const void *attributes)
{
    ((unsigned *)lock)[0] = 0;
    ((unsigned *)lock)[1] = 0;
    return 0;
}

// model: pthread_rwlock_destroy
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_misuse(const char *what);
int pthread_rwlock_destroy(void *lock)
{
    __gnomon_atomic_begin();
    if (((unsigned *)lock)[0] != 0 || ((unsigned *)lock)[1] != 0)
        __gnomon_misuse("a read-write lock is destroyed that is held");
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_rwlock_rdlock
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_await(int enabled);
extern unsigned long __gnomon_self(void);
int pthread_rwlock_rdlock(void *lock)
{
    unsigned self = (unsigned)__gnomon_self();
    __gnomon_atomic_begin();
    if (((unsigned *)lock)[1] == self) {
        __gnomon_atomic_end();
        return 35;
    }
    __gnomon_await(((unsigned *)lock)[1] == 0);
    ((unsigned *)lock)[0] = ((unsigned *)lock)[0] + 1;
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_rwlock_wrlock
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_await(int enabled);
extern unsigned long __gnomon_self(void);
int pthread_rwlock_wrlock(void *lock)
{
    unsigned self = (unsigned)__gnomon_self();
    __gnomon_atomic_begin();
    if (((unsigned *)lock)[1] == self) {
        __gnomon_atomic_end();
        return 35;
    }
    __gnomon_await(((unsigned *)lock)[1] == 0 && ((unsigned *)lock)[0] == 0);
    ((unsigned *)lock)[1] = self;
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_rwlock_tryrdlock
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
int pthread_rwlock_tryrdlock(void *lock)
{
    __gnomon_atomic_begin();
    if (!(((unsigned *)lock)[1] == 0)) {
        __gnomon_atomic_end();
        return 16;
    }
    ((unsigned *)lock)[0] = ((unsigned *)lock)[0] + 1;
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_rwlock_trywrlock
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern unsigned long __gnomon_self(void);
int pthread_rwlock_trywrlock(void *lock)
{
    unsigned self = (unsigned)__gnomon_self();
    __gnomon_atomic_begin();
    if (!(((unsigned *)lock)[1] == 0 && ((unsigned *)lock)[0] == 0)) {
        __gnomon_atomic_end();
        return 16;
    }
    ((unsigned *)lock)[1] = self;
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_rwlock_unlock
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern unsigned long __gnomon_self(void);
extern void __gnomon_misuse(const char *what);
int pthread_rwlock_unlock(void *lock)
{
    unsigned self = (unsigned)__gnomon_self();
    __gnomon_atomic_begin();
    if (((unsigned *)lock)[1] == self)
        ((unsigned *)lock)[1] = 0;
    else if (((unsigned *)lock)[0] != 0)
        ((unsigned *)lock)[0] = ((unsigned *)lock)[0] - 1;
    else
        __gnomon_misuse("a read-write lock is unlocked that the thread does not hold");
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_spin_init
int pthread_spin_init(volatile int *lock, int shared)
{
    *lock = 0;
    return 0;
}

// model: pthread_spin_lock
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_await(int enabled);
extern unsigned long __gnomon_self(void);
int pthread_spin_lock(volatile int *lock)
{
    int self = (int)__gnomon_self();
    __gnomon_atomic_begin();
    __gnomon_await(*lock == 0);
    *lock = self;
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_spin_trylock
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern unsigned long __gnomon_self(void);
int pthread_spin_trylock(volatile int *lock)
{
    int self = (int)__gnomon_self();
    __gnomon_atomic_begin();
    if (*lock != 0) {
        __gnomon_atomic_end();
        return 16;
    }
    *lock = self;
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_spin_unlock
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern unsigned long __gnomon_self(void);
extern void __gnomon_misuse(const char *what);
int pthread_spin_unlock(volatile int *lock)
{
    int self = (int)__gnomon_self();
    __gnomon_atomic_begin();
    if (*lock != self)
        __gnomon_misuse("a spin lock is unlocked that the thread does not hold");
    *lock = 0;
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_spin_destroy
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_misuse(const char *what);
int pthread_spin_destroy(volatile int *lock)
{
    __gnomon_atomic_begin();
    if (*lock != 0)
        __gnomon_misuse("a spin lock is destroyed that is held");
    __gnomon_atomic_end();
    return 0;
}

// model: sem_init
int sem_init(void *semaphore, int shared, unsigned value)
{
    *(int *)semaphore = (int)value;
    return 0;
}

// model: sem_destroy
int sem_destroy(void *semaphore)
{
    return 0;
}

// model: sem_wait
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_await(int enabled);
int sem_wait(void *semaphore)
{
    __gnomon_atomic_begin();
    __gnomon_await(*(int *)semaphore > 0);
    *(int *)semaphore = *(int *)semaphore - 1;
    __gnomon_atomic_end();
    return 0;
}

// model: sem_trywait
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
int sem_trywait(void *semaphore)
{
    __gnomon_atomic_begin();
    if (*(int *)semaphore <= 0) {
        __gnomon_atomic_end();
        return -1;
    }
    *(int *)semaphore = *(int *)semaphore - 1;
    __gnomon_atomic_end();
    return 0;
}

// model: sem_post
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
int sem_post(void *semaphore)
{
    __gnomon_atomic_begin();
    *(int *)semaphore = *(int *)semaphore + 1;
    __gnomon_atomic_end();
    return 0;
}

// model: sem_getvalue
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
int sem_getvalue(void *semaphore, int *value)
{
    __gnomon_atomic_begin();
    *value = *(int *)semaphore;
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_barrier_init
int pthread_barrier_init(void *barrier, const void *attributes, unsigned count)
{
    if (count == 0)
        return 22;
    ((int *)barrier)[0] = (int)count;
    ((int *)barrier)[1] = 0;
    ((int *)barrier)[2] = 0;
    ((int *)barrier)[3] = 0;
    return 0;
}

// model: pthread_barrier_destroy
int pthread_barrier_destroy(void *barrier)
{
    return 0;
}

// One thread of each round, and POSIX does not say which, gets PTHREAD_BARRIER_SERIAL_THREAD: the last one that
// arrives, unless one before it has taken that for itself.
// model: pthread_barrier_wait
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_await(int enabled);
extern _Bool __VERIFIER_nondet_bool(void);
int pthread_barrier_wait(void *barrier)
{
    int phase;
    int result = 0;
    __gnomon_atomic_begin();
    phase = ((int *)barrier)[2];
    if (((int *)barrier)[1] + 1 == ((int *)barrier)[0]) {
        if (((int *)barrier)[3] == 0)
            result = -1;
        ((int *)barrier)[1] = 0;
        ((int *)barrier)[2] = phase + 1;
        ((int *)barrier)[3] = 0;
        __gnomon_atomic_end();
        return result;
    }
    ((int *)barrier)[1] = ((int *)barrier)[1] + 1;
    if (((int *)barrier)[3] == 0 && __VERIFIER_nondet_bool()) {
        ((int *)barrier)[3] = 1;
        result = -1;
    }
    __gnomon_atomic_end();
    __gnomon_atomic_begin();
    __gnomon_await(((int *)barrier)[2] != phase);
    __gnomon_atomic_end();
    return result;
}

// model: pthread_once
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_await(int enabled);
int pthread_once(int *control, void (*initialize)(void))
{
    __gnomon_atomic_begin();
    __gnomon_await(*control != 1);
    if (*control == 2) {
        __gnomon_atomic_end();
        return 0;
    }
    *control = 1;
    __gnomon_atomic_end();
    initialize();
    __gnomon_atomic_begin();
    *control = 2;
    __gnomon_atomic_end();
    return 0;
}

// model: call_once
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_await(int enabled);
void call_once(int *control, void (*initialize)(void))
{
    __gnomon_atomic_begin();
    __gnomon_await(*control != 1);
    if (*control == 2) {
        __gnomon_atomic_end();
        return;
    }
    *control = 1;
    __gnomon_atomic_end();
    initialize();
    __gnomon_atomic_begin();
    *control = 2;
    __gnomon_atomic_end();
}

// model: pthread_key_create
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_not_modelled(const char *what);
int __gnomon_keys;
int pthread_key_create(unsigned *key, void (*destructor)(void *))
{
    __gnomon_atomic_begin();
    if (destructor)
        __gnomon_not_modelled("destructors of thread-specific data");
    if (__gnomon_keys >= 8)
        __gnomon_not_modelled("more than 8 keys of thread-specific data");
    *key = (unsigned)__gnomon_keys;
    __gnomon_keys = __gnomon_keys + 1;
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_key_delete
int pthread_key_delete(unsigned key)
{
    return 0;
}

// model: pthread_getspecific
_Thread_local void *__gnomon_specific[8];
void *pthread_getspecific(unsigned key)
{
    return __gnomon_specific[key & 7];
}

// model: pthread_setspecific
_Thread_local void *__gnomon_specific[8];
int pthread_setspecific(unsigned key, const void *value)
{
    __gnomon_specific[key & 7] = (void *)value;
    return 0;
}

// model: tss_create
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_not_modelled(const char *what);
int __gnomon_keys;
int tss_create(unsigned *key, void (*destructor)(void *))
{
    __gnomon_atomic_begin();
    if (destructor)
        __gnomon_not_modelled("destructors of thread-specific data");
    if (__gnomon_keys >= 8)
        __gnomon_not_modelled("more than 8 keys of thread-specific data");
    *key = (unsigned)__gnomon_keys;
    __gnomon_keys = __gnomon_keys + 1;
    __gnomon_atomic_end();
    return 0;
}

// model: tss_delete
void tss_delete(unsigned key)
{
}

// model: tss_get
_Thread_local void *__gnomon_specific[8];
void *tss_get(unsigned key)
{
    return __gnomon_specific[key & 7];
}

// model: tss_set
_Thread_local void *__gnomon_specific[8];
int tss_set(unsigned key, const void *value)
{
    __gnomon_specific[key & 7] = (void *)value;
    return 0;
}

// model: thrd_create
extern unsigned long __gnomon_spawn(void *(*start)(void *), void *argument);
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
int thrd_create(unsigned long *thread, int (*start)(void *), void *argument)
{
    unsigned long made;
    __gnomon_atomic_begin();
    made = __gnomon_spawn((void *(*)(void *))start, argument);
    *thread = made;
    __gnomon_atomic_end();
    return 0;
}

// model: thrd_join
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_await(int enabled);
extern int __gnomon_ended(unsigned long thread);
extern unsigned long __gnomon_self(void);
extern void *__gnomon_result_of(unsigned long thread);
int thrd_join(unsigned long thread, int *result)
{
    if (thread == __gnomon_self())
        return 2;
    __gnomon_atomic_begin();
    __gnomon_await(__gnomon_ended(thread));
    if (result)
        *result = (int)(long)__gnomon_result_of(thread);
    __gnomon_atomic_end();
    return 0;
}

// model: thrd_exit
extern void __gnomon_exit_thread(void *result);
void thrd_exit(int result)
{
    __gnomon_exit_thread((void *)(long)result);
}

// model: thrd_current
extern unsigned long __gnomon_self(void);
unsigned long thrd_current(void)
{
    return __gnomon_self();
}

// model: thrd_equal
int thrd_equal(unsigned long one, unsigned long other)
{
    return one == other;
}

// model: mtx_init
int mtx_init(void *mutex, int kind)
{
    ((int *)mutex)[0] = 0;
    ((unsigned *)mutex)[1] = 0;
    ((int *)mutex)[sizeof(long) == 8 ? 4 : 3] = kind & 1;
    return 0;
}

// model: mtx_lock
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_await(int enabled);
extern unsigned long __gnomon_self(void);
int mtx_lock(void *mutex)
{
    int self = (int)__gnomon_self();
    __gnomon_atomic_begin();
    __gnomon_await(((int *)mutex)[0] == 0 || ((int *)mutex)[sizeof(long) == 8 ? 4 : 3] == 1 && ((int *)mutex)[0] == self);
    ((unsigned *)mutex)[1] = ((unsigned *)mutex)[1] + 1;
    ((int *)mutex)[0] = self;
    __gnomon_atomic_end();
    return 0;
}

// It may fail for no reason (C17 7.26.4.5).
// model: mtx_trylock
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern unsigned long __gnomon_self(void);
int mtx_trylock(void *mutex)
{
    int self = (int)__gnomon_self();
    __gnomon_atomic_begin();
    if (__VERIFIER_nondet_bool() || ((int *)mutex)[0] != 0 && (((int *)mutex)[sizeof(long) == 8 ? 4 : 3] != 1 || ((int *)mutex)[0] != self)) {
        __gnomon_atomic_end();
        return 1;
    }
    ((unsigned *)mutex)[1] = ((unsigned *)mutex)[1] + 1;
    ((int *)mutex)[0] = self;
    __gnomon_atomic_end();
    return 0;
}

// model: mtx_unlock
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern unsigned long __gnomon_self(void);
extern void __gnomon_misuse(const char *what);
int mtx_unlock(void *mutex)
{
    int self = (int)__gnomon_self();
    __gnomon_atomic_begin();
    if (((int *)mutex)[0] != self)
        __gnomon_misuse("a mutex is unlocked that the thread does not hold");
    ((unsigned *)mutex)[1] = ((unsigned *)mutex)[1] - 1;
    if (((unsigned *)mutex)[1] == 0)
        ((int *)mutex)[0] = 0;
    __gnomon_atomic_end();
    return 0;
}

// model: mtx_destroy
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_misuse(const char *what);
void mtx_destroy(void *mutex)
{
    __gnomon_atomic_begin();
    if (((int *)mutex)[0] != 0)
        __gnomon_misuse("a mutex is destroyed that is held");
    __gnomon_atomic_end();
}

// Waiting for some time only: who would have to wait may be late, and waiting for a while and going on then is the
// same as to come later. So these are the forms that try, with another result; nobody is stuck in them.

// model: pthread_mutex_timedlock
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern unsigned long __gnomon_self(void);
extern void __gnomon_misuse(const char *what);
int pthread_mutex_timedlock(void *mutex, const void *until)
{
    int self = (int)__gnomon_self();
    __gnomon_atomic_begin();
    if (((int *)mutex)[0] == -1)
        __gnomon_misuse("a mutex is locked that was destroyed");
    if (((int *)mutex)[sizeof(long) == 8 ? 4 : 3] == 2 && ((int *)mutex)[0] == self) {
        __gnomon_atomic_end();
        return 35;
    }
    if (((int *)mutex)[sizeof(long) == 8 ? 4 : 3] == 1) {
        if (((int *)mutex)[0] != 0 && ((int *)mutex)[0] != self) {
            __gnomon_atomic_end();
            return 110;
        }
        ((unsigned *)mutex)[1] = ((unsigned *)mutex)[1] + 1;
    } else if (((int *)mutex)[0] != 0) {
        __gnomon_atomic_end();
        return 110;
    }
    ((int *)mutex)[0] = self;
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_rwlock_timedrdlock
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
int pthread_rwlock_timedrdlock(void *lock, const void *until)
{
    __gnomon_atomic_begin();
    if (!(((unsigned *)lock)[1] == 0)) {
        __gnomon_atomic_end();
        return 110;
    }
    ((unsigned *)lock)[0] = ((unsigned *)lock)[0] + 1;
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_rwlock_timedwrlock
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern unsigned long __gnomon_self(void);
int pthread_rwlock_timedwrlock(void *lock, const void *until)
{
    unsigned self = (unsigned)__gnomon_self();
    __gnomon_atomic_begin();
    if (!(((unsigned *)lock)[1] == 0 && ((unsigned *)lock)[0] == 0)) {
        __gnomon_atomic_end();
        return 110;
    }
    ((unsigned *)lock)[1] = self;
    __gnomon_atomic_end();
    return 0;
}

// model: mtx_timedlock
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern unsigned long __gnomon_self(void);
int mtx_timedlock(void *mutex, const void *until)
{
    int self = (int)__gnomon_self();
    __gnomon_atomic_begin();
    if (((int *)mutex)[0] != 0 && (((int *)mutex)[sizeof(long) == 8 ? 4 : 3] != 1 || ((int *)mutex)[0] != self)) {
        __gnomon_atomic_end();
        return 4;
    }
    ((unsigned *)mutex)[1] = ((unsigned *)mutex)[1] + 1;
    ((int *)mutex)[0] = self;
    __gnomon_atomic_end();
    return 0;
}

// model: sem_timedwait
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
int sem_timedwait(void *semaphore, const void *until)
{
    __gnomon_atomic_begin();
    if (*(int *)semaphore <= 0) {
        __gnomon_atomic_end();
        return -1;
    }
    *(int *)semaphore = *(int *)semaphore - 1;
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_rwlockattr_init
int pthread_rwlockattr_init(void *attributes)
{
    return 0;
}

// model: pthread_rwlockattr_destroy
int pthread_rwlockattr_destroy(void *attributes)
{
    return 0;
}

// model: pthread_rwlockattr_setpshared
int pthread_rwlockattr_setpshared(void *attributes, int shared)
{
    return 0;
}

// model: pthread_barrierattr_init
int pthread_barrierattr_init(void *attributes)
{
    return 0;
}

// model: pthread_barrierattr_destroy
int pthread_barrierattr_destroy(void *attributes)
{
    return 0;
}

// model: pthread_barrierattr_setpshared
int pthread_barrierattr_setpshared(void *attributes, int shared)
{
    return 0;
}

// model: pthread_condattr_setpshared
int pthread_condattr_setpshared(void *attributes, int shared)
{
    return 0;
}

// model: pthread_attr_setscope
int pthread_attr_setscope(void *attributes, int scope)
{
    return 0;
}

// model: pthread_attr_setinheritsched
int pthread_attr_setinheritsched(void *attributes, int inherit)
{
    return 0;
}

// model: pthread_attr_setguardsize
int pthread_attr_setguardsize(void *attributes, unsigned long size)
{
    return 0;
}
