// tests/engine/hub_server.h: a hub of our own on the loopback (hub_server.py), for one test.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace liubai {

class HubServer {
 public:
  HubServer() = default;
  HubServer(const HubServer&) = delete;
  HubServer& operator=(const HubServer&) = delete;
  ~HubServer() { Stop(); }

  // Serves what is under `folder` and writes each request to `log`.
  void Start(const std::string& folder, const std::string& log) {
    int out[2];
    ASSERT_EQ(::pipe(out), 0);
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(out[1], 1);
      ::close(out[0]);
      ::close(out[1]);
      ::execlp("python3", "python3", LIUBAI_SOURCE_DIR "/tests/engine/hub_server.py",
               folder.c_str(), log.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(out[1]);
    std::FILE* stream = ::fdopen(out[0], "r");
    int port = 0;
    ASSERT_EQ(std::fscanf(stream, "%d", &port), 1) << "hub_server.py did not start";
    std::fclose(stream);
    endpoint_ = "http://127.0.0.1:" + std::to_string(port);
  }
  void Stop() {
    if (process_ > 0) {
      ::kill(process_, SIGTERM);
      ::waitpid(process_, nullptr, 0);
    }
    process_ = 0;
  }
  const std::string& endpoint() const { return endpoint_; }

 private:
  pid_t process_ = 0;
  std::string endpoint_;
};

}  // namespace liubai
