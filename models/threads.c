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
    __gnomon_atomic_begin();
    *thread = __gnomon_spawn(start, argument);
    __gnomon_atomic_end();
    return 0;
}

// model: pthread_join
extern void __gnomon_atomic_begin(void);
extern void __gnomon_atomic_end(void);
extern void __gnomon_await(int enabled);
extern int __gnomon_ended(unsigned long thread);
extern void *__gnomon_result_of(unsigned long thread);
int pthread_join(unsigned long thread, void **result)
{
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

// model: pthread_detach
int pthread_detach(unsigned long thread)
{
    return 0;
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
