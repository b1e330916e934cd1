#define LIUBAI_ATTEND AttendAvx2
#include "kernels/paged_attention_inl.h"
