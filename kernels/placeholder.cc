namespace liubai::kernels {}
