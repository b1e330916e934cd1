#include <cstdio>

#include "liubai/agent.h"

int main(int argc, char** argv) {
  if (argc < 4) return std::fprintf(stderr, "usage: %s STORE MODEL EMBEDDER\n", argv[0]), 2;
  auto store = liubai::Store::Open(argv[1]);
  auto model = liubai::LoadLanguageModel(argv[2]);
  auto embedder = liubai::LoadEmbedder(argv[3]);
  if (!store.ok() || !model.ok() || !embedder.ok()) return std::fprintf(stderr, "cannot open\n"), 1;
  auto agent = liubai::Agent::Create({store->get(), model->get(), embedder->get()});
  if (!agent.ok()) return std::fprintf(stderr, "%s\n", agent.status().ToString().c_str()), 1;
  auto reply = (*agent)->Send("My cat is called Miso. What is my cat called?");
  if (!reply.ok()) return std::fprintf(stderr, "%s\n", reply.status().ToString().c_str()), 1;
  std::printf("%s\n", reply->text.c_str());
}
