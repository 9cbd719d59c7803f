// gnomon: false 15 a completed request is said to be pending
typedef struct irp { int status; } IRP;
typedef struct device { int n; } DEVICE;
extern void IoCompleteRequest(IRP *, int), IoMarkIrpPending(IRP *);
extern void IoSkipCurrentIrpStackLocation(IRP *), IoCopyCurrentIrpStackLocationToNext(IRP *);
extern void IoSetCompletionRoutine(IRP *, void *, void *), IoStartPacket(DEVICE *, IRP *);
extern int IoCallDriver(DEVICE *, IRP *), KeWaitForSingleObject(void *);
extern int __VERIFIER_nondet_int(void);
static DEVICE device, lower;
static IRP irp;
static int Dispatch(DEVICE *d, IRP *i)
{
    int status = __VERIFIER_nondet_int();
    IoCompleteRequest(i, 0);
    return status;
}
int main(void)
{
    Dispatch(&device, &irp);
    return 0;
}
