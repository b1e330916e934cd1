#define LIUBAI_VECTOR_OPS vector_ops_avx512
#include "kernels/vector_ops_inl.h"
