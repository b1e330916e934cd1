#define LIUBAI_VECTOR_OPS vector_ops_portable
#include "kernels/vector_ops_inl.h"
