#ifndef MCUC_PART_H
#define MCUC_PART_H

/* Kernels that are one text for several element types stand in <op>_any.h. A kernel's own file
 * defines MCUC_KERNEL, its symbol, and MCUC_ELEMENT or what else the text names, and includes it;
 * the text forgets them at its end. This is how its static functions are named: <symbol>_<part>. */
#define MCUC_PASTE(a, b) a##_##b
#define MCUC_PART_OF(kernel, part) MCUC_PASTE(kernel, part)
#define MCUC_PART(part) MCUC_PART_OF(MCUC_KERNEL, part)

#endif
