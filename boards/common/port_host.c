/* Port for the host: stdio; no counter and no stack watermark. */
#include "port.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define MCUC_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MCUC_ASAN 1
#endif
#endif
#ifdef MCUC_ASAN
#include <sanitizer/asan_interface.h>
#endif

static FILE *files[2];

static void require(int good, const char *what)
{
  if (!good) {
    fprintf(stderr, "mcuc-file-error %s\n", what);
    exit(MCUC_EXIT_FILE);
  }
}

int32_t mcuc_port_open(const char *name, int write)
{
  const int32_t file = write ? 1 : 0;
  files[file] = fopen(name, write ? "wb" : "rb");
  require(files[file] != NULL, "open");
  return file;
}

void mcuc_port_read(int32_t file, void *data, uint32_t bytes)
{
  require(fread(data, 1, bytes, files[file]) == bytes, "read");
}

void mcuc_port_write(int32_t file, const void *data, uint32_t bytes)
{
  require(fwrite(data, 1, bytes, files[file]) == bytes, "write");
}

void mcuc_port_seek(int32_t file, uint32_t position)
{
  require(fseek(files[file], (long)position, SEEK_SET) == 0, "seek");
}

void mcuc_port_close(int32_t file)
{
  require(fclose(files[file]) == 0, "close");
}

void mcuc_port_print(const char *text)
{
  fputs(text, stderr);
}

_Noreturn void mcuc_port_exit(int status)
{
  exit(status);
}

void mcuc_port_counter_start(void)
{
}

uint32_t mcuc_port_counter_ticks(void)
{
  return 0;
}

uint32_t mcuc_port_counter_wraps(uint32_t ticks)
{
  (void)ticks;
  return 0;
}

int mcuc_port_counter_present(void)
{
  return 0;
}

uint64_t mcuc_port_units(uint64_t ticks)
{
  return ticks;
}

uintptr_t mcuc_port_stack_pointer(void)
{
  return 0;
}

void mcuc_port_stack_paint(void)
{
}

uint32_t mcuc_port_stack_used(uintptr_t pointer)
{
  (void)pointer;
  return 0;
}

int mcuc_port_stack_intact(void)
{
  return 1;
}

void mcuc_port_forbid(const void *data, uint32_t bytes)
{
#ifdef MCUC_ASAN
  __asan_poison_memory_region(data, bytes);
#else
  (void)data;
  (void)bytes;
#endif
}

void mcuc_port_allow(const void *data, uint32_t bytes)
{
#ifdef MCUC_ASAN
  __asan_unpoison_memory_region(data, bytes);
#else
  (void)data;
  (void)bytes;
#endif
}

int main(int argc, char **argv)
{
  require(argc == 3, "usage: <program> <request> <response>");
  mcuc_harness(argv[1], argv[2]);
}
