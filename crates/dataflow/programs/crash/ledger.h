/* A ledger of accounts; the parts are in several files. */
struct account {
    int number;
    int balance;
    struct account *next;
};

struct account *find(struct account *list, int number);
struct account *add(struct account *list, int number);
struct account *drop(struct account *list, int number);
int total(struct account *list);
int run(void);
