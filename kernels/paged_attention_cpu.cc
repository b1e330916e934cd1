#define LIUBAI_ATTEND AttendPortable
#include "kernels/paged_attention_inl.h"
