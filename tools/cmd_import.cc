// liubai import, liubai export: conversations as JSON lines.
#include <cerrno>
#include <nlohmann/json.hpp>

#include "core/file_system.h"
#include "core/macros.h"
#include "fmt/format.h"
#include "memory/jsonl.h"
#include "tools/commands.h"
#include "tools/store_flags.h"
#include "tools/terminal.h"

namespace liubai::tools {
namespace {

class StandardInput final : public ReadableFile {
 public:
  Result<std::size_t> Read(std::span<std::byte> buffer) override {
    return ReadStandardInput({reinterpret_cast<char*>(buffer.data()), buffer.size()});
  }
};

class StandardOutput final : public WritableFile {
 public:
  Status Write(std::span<const std::byte> bytes) override {
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size()) return {};
    return ErrnoStatus(errno, "write", "standard output");
  }
  Status Sync() override { return {}; }
  Status Close() override { return {}; }
};

class Import final : public Command {
  void Declare(Flags& flags) override {
    flags.Argument("FILE", &file_, true,
                   "JSON lines with role, content, time, speaker; - reads standard input");
    store_.Declare(flags);
    flags.Switch("--skip-bad", &skip_bad_,
                 "leave bad lines out instead of refusing the whole file");
  }

  Status Run(Invocation& call, std::stop_token stop) override {
    std::unique_ptr<ReadableFile> input = std::make_unique<StandardInput>();
    if (file_ != "-") {
      LIUBAI_ASSIGN_OR_RETURN(input, PosixFileSystem().OpenForRead(file_));
    }
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, store_.OpenForWriting(call));
    memory::JsonlOptions options;
    options.skip_bad = skip_bad_;
    options.stop = stop;
    options.default_session =
        store_.session.empty() ? std::string(kDefaultSession) : store_.session;
    const Result<memory::JsonlReport> report = memory::ImportJsonl(*store, *input, options);
    if (report.status().code() == StatusCode::kCancelled) {
      return report.status().WithContext("nothing was imported");
    }
    if (!report.ok()) {
      return report.status().WithContext(file_ == "-" ? "standard input" : file_);
    }
    for (const std::string& problem : report->problems) call.Warn(problem);
    if (call.json()) {
      call.PrintJson({{"file", file_},
                      {"store", store->folder()},
                      {"lines", report->lines},
                      {"turns", report->turns},
                      {"sessions", report->sessions},
                      {"skipped", report->skipped},
                      {"problems", report->problems}});
    } else {
      call.Print(fmt::format("{} turns of {} lines are in {} (sessions: {}, lines skipped: {})\n",
                             report->turns, report->lines, store->folder(), report->sessions,
                             report->skipped));
    }
    return {};
  }

  std::string file_;
  StoreFlags store_;
  bool skip_bad_ = false;
};

class Export final : public Command {
  void Declare(Flags& flags) override {
    flags.Argument("FILE", &file_, false, "a new file (default: standard output)");
    store_.Declare(flags);
    flags.Switch("--overwrite", &overwrite_, "replace FILE when it exists");
  }

  Status Run(Invocation& call, std::stop_token) override {
    FileSystem& fs = PosixFileSystem();
    const bool to_file = !file_.empty() && file_ != "-";
    if (to_file && !overwrite_ && fs.Exists(file_)) {
      return {StatusCode::kAlreadyExists, fmt::format("{} exists; --overwrite replaces it", file_)};
    }
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, store_.OpenForReading(call));
    LIUBAI_ASSIGN_OR_RETURN(const TurnFilter filter, store_.Filter(*store));
    // Whoever keeps what is written here must learn that it may not be all. It is written
    // nevertheless: it may be all that can be saved.
    LIUBAI_ASSIGN_OR_RETURN(const std::vector<std::string> problems, store->Verify());
    for (const std::string& problem : problems) call.Warn(problem);
    const Status whole =
        problems.empty()
            ? Status()
            : Status(StatusCode::kDataLoss,
                     fmt::format("{} is damaged in {} place(s); turns may be missing from what was "
                                 "written",
                                 store->folder(), problems.size()));
    if (!to_file) {
      StandardOutput output;
      LIUBAI_RETURN_IF_ERROR(
          memory::ExportJsonl(*store, output, filter).status().WithContext(store->folder()));
      return whole;
    }
    // The file gets its name when it is whole.
    const std::string partial = file_ + ".partial";
    LIUBAI_ASSIGN_OR_RETURN(const std::unique_ptr<WritableFile> output, fs.OpenForWrite(partial));
    Result<std::int64_t> turns = memory::ExportJsonl(*store, *output, filter);
    Status status = turns.status().WithContext(store->folder());
    if (status.ok()) status = output->Sync();
    if (status.ok()) status = output->Close();
    if (status.ok()) status = fs.Rename(partial, file_);
    if (!status.ok()) {
      (void)fs.Remove(partial);
      return status;
    }
    if (call.json()) {
      call.PrintJson({{"file", file_}, {"turns", *turns}});
    } else {
      call.Print(fmt::format("{} turns are in {}\n", *turns, file_));
    }
    return whole;
  }

  std::string file_;
  StoreFlags store_;
  bool overwrite_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeImport() { return std::make_unique<Import>(); }
std::unique_ptr<Command> MakeExport() { return std::make_unique<Export>(); }

}  // namespace liubai::tools
