/* A plugin of QEMU (-plugin blocks.so,out=FILE): how often each block of instructions ran, and how
 * often control left it elsewhere than to the instruction behind it.
 *
 * Writes a line per block: first address, address behind the last instruction, runs, leaps. What it
 * uses of qemu-plugin.h (interface version 1) is declared here.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t qemu_plugin_id_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
                                           void (*cb)(qemu_plugin_id_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, void (*cb)(unsigned, void *),
                                          int flags, void *data);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*cb)(qemu_plugin_id_t, void *),
                                    void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t i);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;
int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv);

typedef struct block {
  struct block *next;
  uint64_t start, end;
  uint64_t runs, leaps;
} block;

static block *blocks; /* a block that is translated again is another one of the list */
static block *last;
static char *path;

static void ran(unsigned cpu, void *data)
{
  block *b = data;
  (void)cpu;
  if (last != NULL && last->end != b->start) {
    ++last->leaps;
  }
  ++b->runs;
  last = b;
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
  block *b = calloc(1, sizeof *b);
  const struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, qemu_plugin_tb_n_insns(tb) - 1);
  (void)id;
  if (b == NULL) {
    abort();
  }
  b->start = qemu_plugin_tb_vaddr(tb);
  b->end = qemu_plugin_insn_vaddr(insn) + qemu_plugin_insn_size(insn);
  b->next = blocks;
  blocks = b;
  qemu_plugin_register_vcpu_tb_exec_cb(tb, ran, 0, b);
}

static void ended(qemu_plugin_id_t id, void *data)
{
  FILE *file = fopen(path, "w");
  const block *b;
  (void)id;
  (void)data;
  if (file == NULL) {
    abort();
  }
  for (b = blocks; b != NULL; b = b->next) {
    fprintf(file, "%" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64 "\n", b->start, b->end, b->runs,
            b->leaps);
  }
  fclose(file);
}

int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
  (void)info;
  if (argc != 1 || strncmp(argv[0], "out=", 4) != 0) {
    fprintf(stderr, "blocks.so wants out=FILE\n");
    return 1;
  }
  path = strdup(argv[0] + 4);
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  qemu_plugin_register_atexit_cb(id, ended, NULL);
  return 0;
}
