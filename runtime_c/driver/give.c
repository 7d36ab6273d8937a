/* give form: rows of an output that the application takes, one at a time and in order, from where
 * they are. `scratch` is the region of the mcuc_writer, the last one; `out` are the rows as they
 * are read.
 */
#include "mcuc/program.h"

/* The application's function that takes row y of the output; the row is valid until it returns. */
typedef struct mcuc_writer {
  void (*write)(void *context, int32_t y, const void *row);
  void *context;
} mcuc_writer;

MCUC_FN void mcuc_form_give(const mcuc_step *step, const mcuc_memory *memory, int32_t y, int32_t n)
{
  const mcuc_writer *writer = (const mcuc_writer *)memory->ram[step->scratch.region];
  const int32_t end = y + n;

  for (; y < end; ++y) {
    writer->write(writer->context, y, mcuc_output_at(memory, &step->out, y, 0));
  }
}
