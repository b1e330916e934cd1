namespace liubai::memory {}
