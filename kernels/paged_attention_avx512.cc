#define LIUBAI_ATTEND AttendAvx512
#include "kernels/paged_attention_inl.h"
