#define LIUBAI_ATTEND AttendAvx2
#include "kernels/dense_attention_inl.h"
