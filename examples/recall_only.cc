// Memory without a language model: store what was said, find it again by words and by meaning.
#include <cstdio>

#include "liubai/retrieval.h"
#include "liubai/store.h"

namespace {
int Fail(const liubai::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}
}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: %s STORE [EMBEDDER]\n", argv[0]), 2;
  auto store = liubai::Store::Open(argv[1]);
  if (!store.ok()) return Fail(store.status());
  std::unique_ptr<liubai::Embedder> embedder;
  if (argc > 2) {
    auto loaded = liubai::LoadEmbedder(argv[2]);
    if (!loaded.ok()) return Fail(loaded.status());
    embedder = std::move(*loaded);
  }
  auto session = (*store)->EnsureSession("notes");
  if (!session.ok()) return Fail(session.status());
  for (const char* note : {"The spare key is with Mrs Okafor on the second floor.",
                           "The boiler was serviced on 12 May and cost 180 euros.",
                           "Mia's violin lesson moved to Thursday."}) {
    liubai::NewTurn turn;
    turn.session_id = *session;
    turn.text = note;
    turn.idempotency_key = note;  // Running this twice stores each note once.
    if (auto id = (*store)->AppendTurn(turn); !id.ok()) return Fail(id.status());
  }
  auto retriever = liubai::Retriever::Open(**store, embedder.get());
  if (!retriever.ok()) return Fail(retriever.status());
  if (auto indexed = (*retriever)->IndexPending(100); !indexed.ok()) return Fail(indexed.status());

  liubai::RecallQuery query;
  query.text = "How much was the boiler?";
  query.limit = 1;
  auto found = (*retriever)->Recall(query);
  if (!found.ok()) return Fail(found.status());
  if (found->hits.empty()) return std::fprintf(stderr, "nothing found\n"), 1;
  const liubai::RecallHit& best = found->hits.front();
  std::printf("%s\n  because: %s\n", best.turn.text.c_str(), best.Why().c_str());
}
