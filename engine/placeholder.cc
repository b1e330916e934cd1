namespace liubai::engine {}
