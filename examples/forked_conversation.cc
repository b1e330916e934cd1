// Two continuations of one conversation: the fork shares the pages of what was said before.
#include <cstdio>

#include "liubai/agent.h"

namespace {
int Fail(const liubai::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fprintf(stderr, "usage: %s STORE MODEL\n", argv[0]), 2;
  auto store = liubai::Store::Open(argv[1]);
  if (!store.ok()) return Fail(store.status());
  auto model = liubai::LoadLanguageModel(argv[2]);
  if (!model.ok()) return Fail(model.status());
  liubai::AgentOptions options;
  options.store = store->get();
  options.model = model->get();
  options.sampling.max_tokens = 40;
  auto agent = liubai::Agent::Create(options);
  if (!agent.ok()) return Fail(agent.status());
  if (auto first = (*agent)->Send("We plan a trip. The budget is 900 euros."); !first.ok())
    return Fail(first.status());

  auto fork = (*agent)->Fork("by train");
  if (!fork.ok()) return Fail(fork.status());
  auto sea = (*agent)->Send("Suppose we go to the sea. What should we pack?");
  if (!sea.ok()) return Fail(sea.status());
  auto train = (*fork)->Send("Suppose we go by train. What should we pack?");
  if (!train.ok()) return Fail(train.status());
  std::printf("to the sea: %s\n\nby train: %s\n\n", sea->text.c_str(), train->text.c_str());
  std::printf("the fork computed %d of its %d prompt tokens\n",
              train->prompt_tokens - train->cached_tokens, train->prompt_tokens);
  return train->cached_tokens > 0 ? 0 : 1;
}
