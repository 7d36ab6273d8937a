/* ADD of float32, with broadcast: dst = clamp(a + b).
 *
 * Operands as in mcuc/each_pair.h. Bit-exact to mcuc/ops/add.py:ref.
 */
#include "binary/binary_f32.h"
#include "mcuc/fmath.h"
#include "mcuc/program.h"

#define MCUC_KERNEL mcuc_add_f32_f32_f32__c
#define MCUC_PARAMS mcuc_binary_f32_params
#define MCUC_IN float
#define MCUC_OUT float
#define MCUC_EACH(p, a, b) mcuc_clamp_f32((a) + (b), (p)->low, (p)->high)
#include "mcuc/each_pair.h"
