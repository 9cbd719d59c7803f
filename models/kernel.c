// Functions of operating systems' kernels that drivers call: counters, locks and clocks. What is
// written here is the contract in the kernel's documentation, for one thread.

// model: InterlockedIncrement
long InterlockedIncrement(long *counter) { return ++*counter; }

// model: InterlockedDecrement
long InterlockedDecrement(long *counter) { return --*counter; }

// model: InterlockedExchange
long InterlockedExchange(long *target, long value)
{
    long old = *target;
    *target = value;
    return old;
}

// model: InterlockedCompareExchange
long InterlockedCompareExchange(long *target, long value, long compared)
{
    long old = *target;
    if (old == compared)
        *target = value;
    return old;
}

// model: KfAcquireSpinLock
extern unsigned char __VERIFIER_nondet_uchar(void);
unsigned char KfAcquireSpinLock(void *lock) { return __VERIFIER_nondet_uchar(); }

// model: KfReleaseSpinLock
void KfReleaseSpinLock(void *lock, unsigned char level) { }

// model: KeStallExecutionProcessor
void KeStallExecutionProcessor(unsigned long microseconds) { }

// model: KeQueryTimeIncrement
extern unsigned long __VERIFIER_nondet_ulong(void);
unsigned long KeQueryTimeIncrement(void) { return __VERIFIER_nondet_ulong(); }
