// Locks, as far as property automata need them: they touch nothing that a program reads itself.
// There is one thread.

// model: pthread_mutex_lock
extern int __VERIFIER_nondet_int(void);
int pthread_mutex_lock(void *lock)
{
    int error = __VERIFIER_nondet_int();
    return error < 0 ? 0 : error;
}

// model: pthread_mutex_unlock
extern int __VERIFIER_nondet_int(void);
int pthread_mutex_unlock(void *lock)
{
    int error = __VERIFIER_nondet_int();
    return error < 0 ? 0 : error;
}

// model: pthread_mutex_destroy
extern int __VERIFIER_nondet_int(void);
int pthread_mutex_destroy(void *lock)
{
    int error = __VERIFIER_nondet_int();
    return error < 0 ? 0 : error;
}

// model: pthread_spin_lock
extern int __VERIFIER_nondet_int(void);
int pthread_spin_lock(void *lock)
{
    int error = __VERIFIER_nondet_int();
    return error < 0 ? 0 : error;
}

// model: pthread_spin_unlock
extern int __VERIFIER_nondet_int(void);
int pthread_spin_unlock(void *lock)
{
    int error = __VERIFIER_nondet_int();
    return error < 0 ? 0 : error;
}

// model: pthread_spin_destroy
extern int __VERIFIER_nondet_int(void);
int pthread_spin_destroy(void *lock)
{
    int error = __VERIFIER_nondet_int();
    return error < 0 ? 0 : error;
}

// model: pthread_mutex_trylock
extern int __VERIFIER_nondet_int(void);
int pthread_mutex_trylock(void *lock)
{
    int error = __VERIFIER_nondet_int();
    return error < 0 ? 0 : error;
}

// model: pthread_spin_trylock
extern int __VERIFIER_nondet_int(void);
int pthread_spin_trylock(void *lock)
{
    int error = __VERIFIER_nondet_int();
    return error < 0 ? 0 : error;
}
