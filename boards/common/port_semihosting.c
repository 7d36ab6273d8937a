/* Port for firmware: Arm semihosting serves files, console and exit (QEMU, or a debugger). */
#include "port.h"
#include "startup.h"

enum {
  SYS_OPEN = 0x01,
  SYS_CLOSE = 0x02,
  SYS_WRITE0 = 0x04,
  SYS_WRITE = 0x05,
  SYS_READ = 0x06,
  SYS_SEEK = 0x0A,
  SYS_GET_CMDLINE = 0x15,
  SYS_EXIT_EXTENDED = 0x20,
  APPLICATION_EXIT = 0x20026,
  OPEN_READ_BINARY = 1,
  OPEN_WRITE_BINARY = 5
};

static int32_t semihost(int32_t operation, const void *block)
{
  register int32_t r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = block;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

static uint32_t length_of(const char *text)
{
  uint32_t n = 0;
  while (text[n] != '\0') {
    ++n;
  }
  return n;
}

static void require(int good, const char *what)
{
  if (!good) {
    mcuc_port_print("mcuc-file-error ");
    mcuc_port_print(what);
    mcuc_port_print("\n");
    mcuc_port_exit(MCUC_EXIT_FILE);
  }
}

int32_t mcuc_port_open(const char *name, int write)
{
  const uintptr_t block[3] = {
      (uintptr_t)name, (uintptr_t)(write ? OPEN_WRITE_BINARY : OPEN_READ_BINARY), length_of(name)};
  const int32_t file = semihost(SYS_OPEN, block);
  require(file >= 0, "open");
  return file;
}

void mcuc_port_read(int32_t file, void *data, uint32_t bytes)
{
  const uintptr_t block[3] = {(uintptr_t)file, (uintptr_t)data, bytes};
  require(semihost(SYS_READ, block) == 0, "read"); /* the result is what is missing */
}

void mcuc_port_write(int32_t file, const void *data, uint32_t bytes)
{
  const uintptr_t block[3] = {(uintptr_t)file, (uintptr_t)data, bytes};
  require(semihost(SYS_WRITE, block) == 0, "write");
}

void mcuc_port_seek(int32_t file, uint32_t position)
{
  const uintptr_t block[2] = {(uintptr_t)file, position};
  require(semihost(SYS_SEEK, block) >= 0, "seek");
}

void mcuc_port_close(int32_t file)
{
  const uintptr_t block[1] = {(uintptr_t)file};
  require(semihost(SYS_CLOSE, block) == 0, "close");
}

void mcuc_port_print(const char *text)
{
  (void)semihost(SYS_WRITE0, text);
}

_Noreturn void mcuc_port_exit(int status)
{
  const uintptr_t block[2] = {APPLICATION_EXIT, (uintptr_t)status};
  (void)semihost(SYS_EXIT_EXTENDED, block);
  for (;;) {
  }
}

static void print_word(const char *name, uint32_t value)
{
  static const char digits[] = "0123456789abcdef";
  char text[9];
  int i;
  for (i = 7; i >= 0; --i) {
    text[i] = digits[value & 15u];
    value >>= 4;
  }
  text[8] = '\0';
  mcuc_port_print(name);
  mcuc_port_print(text);
}

_Noreturn void mcuc_port_fault(const mcuc_fault *fault)
{
  mcuc_port_print("\nmcuc-fault");
  print_word(" exception=", fault->exception);
  print_word(" pc=", fault->pc);
  print_word(" lr=", fault->lr);
  print_word(" sp=", fault->sp);
  print_word(" cfsr=", fault->cfsr);
  print_word(" hfsr=", fault->hfsr);
  print_word(" mmfar=", fault->mmfar);
  print_word(" bfar=", fault->bfar);
  mcuc_port_print("\n");
  mcuc_port_exit(MCUC_EXIT_FAULT);
}

/* The host gives "<program> <request> <response>"; the names hold no blanks. */
_Noreturn void mcuc_port_main(void);
_Noreturn void mcuc_port_main(void)
{
  static char line[256];
  const char *words[3] = {"", "", ""};
  uintptr_t block[2] = {(uintptr_t)line, sizeof line - 1u};
  uint32_t count = 0;
  uint32_t i;
  if (mcuc_clock_failed != 0u) {
    print_word("mcuc-clock-failed step=", mcuc_clock_failed);
    mcuc_port_print("\n");
    mcuc_port_exit(MCUC_EXIT_CLOCK);
  }
  require(semihost(SYS_GET_CMDLINE, block) == 0, "command line");
  for (i = 0; i < sizeof line - 1u && line[i] != '\0'; ++i) {
    if (line[i] == ' ') {
      line[i] = '\0';
    } else if ((i == 0 || line[i - 1u] == '\0') && count < 3u) {
      words[count++] = &line[i];
    }
  }
  require(count == 3u, "command line: <program> <request> <response>");
  mcuc_harness(words[1], words[2]);
}
