#include "tools/recall_flags.h"

#include "core/macros.h"

namespace liubai::tools {
namespace {

Status IndexAll(Invocation& call, Retriever& retriever, std::stop_token stop) {
  Progress progress = call.MakeProgress();
  std::uint64_t done = 0;
  while (true) {
    LIUBAI_ASSIGN_OR_RETURN(const IndexProgress step, retriever.IndexPending(64, stop));
    done += static_cast<std::uint64_t>(step.embedded);
    if (step.embedded == 0 || step.pending == 0) break;
    progress.Update("embedding turns", done, done + static_cast<std::uint64_t>(step.pending));
  }
  return done > 0 ? retriever.Publish() : Status();
}

}  // namespace

void RecallFlags::Declare(Flags& flags) {
  store.Declare(flags);
  embedder.Declare(flags);
}

Result<OpenedRecall> RecallFlags::Open(Invocation& call, std::stop_token stop) const {
  OpenedRecall opened;
  LIUBAI_ASSIGN_OR_RETURN(opened.store, store.OpenForReading(call));
  LIUBAI_ASSIGN_OR_RETURN(opened.embedder, embedder.Load(call));
  if (opened.embedder != nullptr) {
    opened.store.reset();
    Result<std::unique_ptr<Store>> writer = store.OpenForWriting(call);
    if (!writer.ok()) writer = store.OpenForReading(call);
    if (!writer.ok()) return writer.status();
    opened.store = std::move(*writer);
  }
  RetrieverOptions options;
  options.logger = call.logger();
  LIUBAI_ASSIGN_OR_RETURN(opened.retriever,
                          Retriever::Open(*opened.store, opened.embedder.get(), options));
  if (opened.embedder != nullptr && !opened.store->read_only())
    LIUBAI_RETURN_IF_ERROR(IndexAll(call, *opened.retriever, stop));
  return opened;
}

}  // namespace liubai::tools
