#include <cstdio>

#include "liubai/language_model.h"

int main(int argc, char** argv) {
  auto model = liubai::LoadLanguageModel(argc > 1 ? argv[1] : "model.gguf");
  if (!model.ok()) return std::fprintf(stderr, "%s\n", model.status().ToString().c_str()), 1;
  auto context = (*model)->NewContext();
  auto status = (*context)->Append(
      {liubai::SegmentKind::kOther, 0, (*model)->Tokenize("Once upon a time")});
  auto reply = (*context)->Generate({.max_tokens = 32});
  if (!status.ok() || !reply.ok()) return 1;
  std::printf("%s\n", reply->text.c_str());
}
