// Stores two turns, finds one of them, and splits it into a model's tokens.
#include <liubai/agent.h>
#include <liubai/embedder.h>
#include <liubai/language_model.h>
#include <liubai/retrieval.h>
#include <liubai/store.h>

#include <cstdio>

namespace {
int Fail(const liubai::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: %s STORE MODEL\n", argv[0]), 2;
  auto store = liubai::Store::Open(argv[1]);
  if (!store.ok()) return Fail(store.status());
  auto session = (*store)->EnsureSession("kitchen");
  if (!session.ok()) return Fail(session.status());
  for (const char* text : {"The deposit for the kitchen was $4,237.", "The tiles are green."}) {
    liubai::NewTurn turn;
    turn.session_id = *session;
    turn.text = text;
    if (auto id = (*store)->AppendTurn(turn); !id.ok()) return Fail(id.status());
  }
  auto retriever = liubai::Retriever::Open(**store, nullptr);
  if (!retriever.ok()) return Fail(retriever.status());
  auto found = (*retriever)->Recall({.text = "How large was the deposit?", .limit = 1});
  if (!found.ok()) return Fail(found.status());
  if (found->hits.empty()) return std::fprintf(stderr, "nothing was found\n"), 1;
  const std::string& text = found->hits[0].turn.text;

  auto model = liubai::LoadLanguageModel(argv[2]);
  if (!model.ok()) return Fail(model.status());
  const auto tokens = (*model)->Tokenize(text);
  if ((*model)->Detokenize(tokens) != text) return std::fprintf(stderr, "tokens differ\n"), 1;
  // An agent on a model without a chat template is refused by a Status, not by a crash.
  liubai::AgentOptions options;
  options.store = store->get();
  options.model = model->get();
  if (liubai::Agent::Create(options).ok() != !(*model)->info().chat_template.empty()) {
    return std::fprintf(stderr, "the agent does not know its model\n"), 1;
  }
  std::printf("%s (%zu tokens)\n", text.c_str(), tokens.size());
}
