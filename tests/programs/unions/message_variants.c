// gnomon: true
// Messages of two kinds share memory; each handler sees the fields that were stored for it.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct read_request {
    int kind;
    int offset;
};
struct write_request {
    int kind;
    int offset;
    int data;
};
union request {
    int kind;
    struct read_request read;
    struct write_request write;
};

static int memory[8];

static int serve(union request *r)
{
    if (r->kind == 1)
        return memory[r->read.offset];
    memory[r->write.offset] = r->write.data;
    return 0;
}

int main(void)
{
    union request r;
    int at = __VERIFIER_nondet_int();
    if (at < 0 || at > 7)
        return 0;
    r.write.kind = 2;
    r.write.offset = at;
    r.write.data = 55;
    if (serve(&r) != 0)
        reach_error();
    r.read.kind = 1;
    if (serve(&r) != 55)
        reach_error();
    return 0;
}
