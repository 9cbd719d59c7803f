// gnomon: false 15 a request that is marked pending is not said to be
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
    IoMarkIrpPending(i);
    IoStartPacket(d, i);
    return 0;
}
int main(void)
{
    Dispatch(&device, &irp);
    return 0;
}
