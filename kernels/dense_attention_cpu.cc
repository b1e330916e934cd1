#define LIUBAI_ATTEND AttendPortable
#include "kernels/dense_attention_inl.h"
