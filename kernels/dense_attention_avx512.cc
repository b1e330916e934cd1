#define LIUBAI_ATTEND AttendAvx512
#include "kernels/dense_attention_inl.h"
