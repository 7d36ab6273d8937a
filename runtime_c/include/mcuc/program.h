/* The tables a compiled model consists of, and the calls its kernels receive.
 *
 * Everything here is const data in flash, written by the compiler; twins of the records in
 * mcuc/ir/program.py. Strides and sizes are bytes, coordinates are rows and pixels of the tensor.
 */
#ifndef MCUC_PROGRAM_H
#define MCUC_PROGRAM_H

#include <stdint.h>

/* Linkage of kernels and driver: a generated model includes them as static functions, so that
 * several models live in one firmware; tests compile them as they are. */
#ifndef MCUC_FN
#define MCUC_FN
#endif

#ifndef MCUC_MAX_REGIONS
#define MCUC_MAX_REGIONS 4
#endif

/* Operands of one kernel call. */
#define MCUC_MAX_OPERANDS 2

/* Kernel rows of one window call; the model defines what its layers need. */
#ifndef MCUC_MAX_KERNEL_ROWS
#define MCUC_MAX_KERNEL_ROWS 32
#endif

/* Steps of the longest chain that is computed in tiles. */
#define MCUC_MAX_TILE_STEPS 6

/* The memory a run works in: one base address per RAM region of the plan, and the state that lives
 * from one run to the next (NULL when the model has none). A model whose input is outside the plan
 * has a region more: where row 0 of the input would lie if all rows lay behind each other, when the
 * application pushes them; an mcuc_reader, when the model asks for them. */
typedef struct mcuc_memory {
  void *ram[MCUC_MAX_REGIONS];
  void *state;
  int32_t pushed; /* rows of the input that have come so far */
} mcuc_memory;

/* Version of what this header and a model's own say of memory: programs of two versions do not fit
 * together. */
#define MCUC_ABI 1

/* A constant table of a model and its CRC-32 (zlib's), for a check before the first run. The list
 * lies in a section of its own, which stays in the program's flash when constants do not. */
typedef struct mcuc_constant {
  const void *data;
  uint32_t bytes;
  uint32_t crc;
} mcuc_constant;

/* The application's function that finds pixels [x, x + n) of row y of the input. What it returns is
 * read before the next call. */
typedef struct mcuc_reader {
  const void *(*read)(void *context, int32_t y, int32_t x, int32_t n);
  void *context;
} mcuc_reader;

/* A place in memory: an offset in a RAM region, or constant data. */
typedef struct mcuc_place {
  const void *fixed; /* constant data in flash, or NULL */
  uint32_t offset;   /* bytes from the region's base */
  uint32_t region;
} mcuc_place;

/* A box of a tensor in memory. Row y stands in slot (y - y0) % rows: a ring when it holds fewer
 * rows than the box has. */
typedef struct mcuc_view {
  mcuc_place place;     /* of element (y0, x0, first channel) */
  int32_t y0, x0;       /* tensor coordinates of the box's origin */
  int32_t rows;         /* row slots */
  int32_t row_stride;   /* bytes from slot to slot; 0 broadcasts over rows */
  int32_t pixel_stride; /* bytes from pixel to pixel; 0 broadcasts over columns */
} mcuc_view;

/* Operands that no step of the segment writes: all rows are there, or the application delivers
 * them. */
enum { MCUC_RESIDENT = -1, MCUC_PUSHED = -2 };

/* One input of a step, and how many of its rows an output row waits for. */
typedef struct mcuc_operand {
  mcuc_view view;
  int32_t producer; /* step of this segment that writes the rows, or one of the above */
  int32_t need_mul; /* row y needs the producer's rows below y * need_mul + need_add, */
  int32_t need_add; /* limited to need_max; */
  int32_t need_max;
  const uint16_t *need; /* or below need[y - y0], where the rule is not affine */
} mcuc_operand;

/* Geometry of a window op over a map of in_h x in_w pixels. */
typedef struct mcuc_window {
  int32_t in_h, in_w;
  int32_t kernel_h, stride_h, dilation_h, pad_top;
  int32_t kernel_w, stride_w, dilation_w, pad_left;
  int32_t inner_x0, inner_x1; /* output columns whose windows lie inside the map's columns */
} mcuc_window;

struct mcuc_step;

/* A chain of steps that is computed in blocks of rows x columns of its last step's output. In the
 * chain an operand whose producer is not MCUC_RESIDENT is what the step before wrote; the places of
 * its view and of that step's output are those of a block at (0, 0). */
typedef struct mcuc_tile {
  const struct mcuc_step *steps;
  const mcuc_view *lines; /* of each step but the last: rows kept from band to band; or NULL */
  int32_t n_steps;
  int32_t rows, columns;
  int32_t lead; /* bands before the first row of the output, which only fill lines */
} mcuc_tile;

/* Advances a step by rows [y, y + n): output rows, or input rows of a fold. One function per kernel
 * form (driver/). */
typedef void (*mcuc_form)(const struct mcuc_step *step, const mcuc_memory *memory, int32_t y,
                          int32_t n);

/* A kernel of any form; the step's `form` knows which of the call records it takes. */
typedef void (*mcuc_kernel)(const void *params, const void *call);

/* One call site: a kernel on a box of its node's output. */
typedef struct mcuc_step {
  mcuc_form form;
  mcuc_kernel kernel;
  const void *params; /* the kernel's own record: weights, multipliers, sizes */
  const mcuc_operand *in;
  const mcuc_window *window; /* window form only */
  const mcuc_tile *tile;     /* tile form only */
  mcuc_view out;
  int32_t y0, y1; /* to advance over: output rows, input rows of a fold, bands of a tile */
  int32_t x0, x1; /* output columns to produce */
  int32_t out_pixel_bytes;
  mcuc_place scratch;
  int32_t n_in;
  int32_t fold; /* 1: one output row, complete after input row y1 - 1 */
  int32_t keep; /* 1: all rows are wanted, even when no step asks for them */
  int32_t id;   /* number of the step in the program, for traces */
} mcuc_step;

/* Steps that advance together. */
typedef struct mcuc_segment {
  const mcuc_step *steps;
  int32_t n_steps;
  mcuc_place progress; /* int32_t[n_steps]; unused for one step */
} mcuc_segment;

/* pixel form: n pixels, one after another, each dst pixel from the same pixel of each src. */
typedef struct mcuc_pixel_call {
  const void *src[MCUC_MAX_OPERANDS];
  int32_t src_step[MCUC_MAX_OPERANDS]; /* bytes from pixel to pixel */
  void *dst;
  int32_t dst_step;
  int32_t n;
  void *scratch;
} mcuc_pixel_call;

/* window form: n output pixels of one row. rows[i] points at the first column that output pixel 0
 * reads in kernel row top + i; output pixel j reads stride_w * j pixels further. At the edges of
 * the map only the part of the windows inside it is passed: kernel rows [top, top + kernel_h) and
 * columns [left, left + kernel_w), either may be empty; the rest is padding. Where columns are
 * missing, n is 1, unless the kernel takes edges: then all pixels of the row come at once, the
 * first window begins at column `start` of the map, which may be negative, and rows[i] points at
 * the first column from there on that exists. */
typedef struct mcuc_window_call {
  const void *const *rows;
  int32_t in_step; /* bytes from input pixel to input pixel */
  void *dst;
  int32_t dst_step;
  int32_t n;
  int32_t top, left;
  int32_t kernel_h, kernel_w;
  int32_t start, in_w; /* for kernels that take edges; in_w: columns of the map */
  void *scratch;
} mcuc_window_call;

/* fold form: MCUC_FOLD_INIT, then MCUC_FOLD_STEP for every input row, then MCUC_FOLD_FINISH. */
enum { MCUC_FOLD_INIT, MCUC_FOLD_STEP, MCUC_FOLD_FINISH };
typedef struct mcuc_fold_call {
  int32_t phase;
  const void *src; /* STEP: one row of n pixels */
  int32_t src_step;
  int32_t n;
  void *acc; /* the accumulators, kept from INIT to FINISH */
  void *dst; /* FINISH: the output row */
  int32_t dst_step;
} mcuc_fold_call;

/* whole form: operands lie dense and whole in memory; one call computes everything. */
typedef struct mcuc_whole_call {
  const void *src[MCUC_MAX_OPERANDS];
  void *dst;
  void *scratch;
} mcuc_whole_call;

/* rows form: pixels [x, x + n) of output row y. Which input rows that takes is the kernel's own
 * knowledge: it asks for each by mcuc_source_row. */
typedef struct mcuc_rows_call {
  const mcuc_memory *memory;
  const mcuc_operand *in;
  void *dst;
  int32_t dst_step; /* bytes from output pixel to output pixel */
  int32_t y, x, n;
  void *scratch;
} mcuc_rows_call;

static inline void *mcuc_address(const mcuc_memory *memory, const mcuc_place *place)
{
  return (uint8_t *)memory->ram[place->region] + place->offset;
}

/* What lies some bytes behind a pixel: of any element type, which views keep aligned. */
static inline const void *mcuc_at(const void *base, int32_t bytes)
{
  return (const uint8_t *)base + bytes;
}

static inline void *mcuc_to(void *base, int32_t bytes)
{
  return (uint8_t *)base + bytes;
}

/* First byte of pixel x in row y of a view. */
static inline const uint8_t *mcuc_pixel_at(const mcuc_memory *memory, const mcuc_view *view,
                                           int32_t y, int32_t x)
{
  const uint8_t *base = (const uint8_t *)view->place.fixed;
  int32_t slot = y - view->y0;
  if (base == 0) {
    base = (const uint8_t *)mcuc_address(memory, &view->place);
  }
  if (slot >= view->rows) {
    slot %= view->rows;
  }
  return base + (slot * view->row_stride + (x - view->x0) * view->pixel_stride);
}

/* Rows form: pixel 0 of row y of operand k, wherever it stands; the pixels of the op's region are
 * there. Pixels are in[k].view.pixel_stride apart. */
static inline const uint8_t *mcuc_source_row(const mcuc_rows_call *io, int32_t k, int32_t y)
{
  return mcuc_pixel_at(io->memory, &io->in[k].view, y, 0);
}

/* First byte of pixel x in row y of a step's output. */
static inline uint8_t *mcuc_output_at(const mcuc_memory *memory, const mcuc_view *view, int32_t y,
                                      int32_t x)
{
  int32_t slot = y - view->y0;
  if (slot >= view->rows) {
    slot %= view->rows;
  }
  return (uint8_t *)mcuc_address(memory, &view->place) +
         (slot * view->row_stride + (x - view->x0) * view->pixel_stride);
}

MCUC_FN void mcuc_start_segment(const mcuc_segment *segment, const mcuc_memory *memory);
MCUC_FN int mcuc_run_segment(const mcuc_segment *segment, const mcuc_memory *memory);

#endif
