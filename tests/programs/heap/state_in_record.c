// gnomon: true
// A protocol keeps its state in an allocated record, behind another one: no step is taken twice.
extern void *malloc(unsigned long);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct session {
    int state;
    int tries;
};

struct connection {
    int version;
    struct session *session;
    int hit;
};

static void serve(struct connection *c)
{
    int greeted = 0;
    c->session->state = 100;
    c->hit = __VERIFIER_nondet_int();
    while (1) {
        if (c->session->state == 100) {
            if (greeted)
                reach_error();
            greeted = 1;
            c->session->state = c->hit ? 140 : 110;
        } else if (c->session->state == 110) {
            if (__VERIFIER_nondet_int() <= 0)
                return;
            c->session->state = 120;
        } else if (c->session->state == 120) {
            c->version = c->version + 1;
            c->session->state = 140;
        } else if (c->session->state == 140) {
            if (greeted != 1)
                reach_error();
            c->session->state = 150;
        } else if (c->session->state == 150) {
            return;
        } else {
            reach_error();
        }
    }
}

int main(void)
{
    struct connection *c = malloc(sizeof *c);
    c->session = malloc(sizeof *c->session);
    serve(c);
    return 0;
}
