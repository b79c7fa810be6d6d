#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "base/quiet_thread.h"
#include "log/event_log.h"
#include "log/retention.h"
#include "log/watches.h"

namespace harn::log {

// What logs on a disk have in common: one thread writes. What is appended while it waits for the disk is done together with
// its next write, so that thirty-two tasks that append at the same time wait for one sync, not for thirty-two. The same
// thread looks for events of other processes, while somebody watches.
//
// A `Batch` has `append(event)` and `retain(topic, retention, now_ms)`. A log of this kind calls `start` when it is complete,
// and `stop` when it begins to go.
template <class Batch>
class WrittenLog : public EventLog {
 public:
  void append(NewEvent event, AppendDone done) override {
    if (auto fits = check_size(event); !fits) return done(std::unexpected(fits.error()));
    struct Shared {
      NewEvent event;
      AppendDone done;
      Appended appended;
    };
    auto shared = std::make_shared<Shared>(Shared{std::move(event), std::move(done), {}});
    add({.apply = [shared](Batch& batch) -> Result<void> {
           shared->appended = HARN_TRY(batch.append(shared->event));
           return {};
         },
         .finish =
             [shared](const Error* failed) {
               if (failed) shared->done(std::unexpected(*failed));
               else shared->done(shared->appended);
             }});
  }

  void retain(const std::string& topic, const Retention& retention, int64_t now_ms, RetainDone done) override {
    auto gone = std::make_shared<uint64_t>(0);
    add({.apply = [=](Batch& batch) -> Result<void> {
           *gone = HARN_TRY(batch.retain(topic, retention, now_ms));
           return {};
         },
         .finish =
             [gone, done = std::move(done)](const Error* failed) {
               if (failed) done(std::unexpected(*failed));
               else done(*gone);
             }});
  }

  WatchId watch(const std::string& topic, uint64_t after, std::function<void()> changed) override {
    WatchId id = watches_.add(topic, after, std::move(changed));
    {
      // What was appended before the watch was there has told nobody.
      std::lock_guard guard(lock_);
      must_look_ = true;
    }
    wakeup_.notify_one();
    return id;
  }
  void unwatch(WatchId watch) override { watches_.remove(watch); }

 protected:
  // Something to write. `apply` may be called again in another batch if the first has failed.
  struct Job {
    std::function<Result<void>(Batch& batch)> apply;
    std::function<void(const Error* failed)> finish;
  };
  using Jobs = std::deque<Job>::iterator;

  // On the writer's thread: applies the jobs to a batch and makes that durable, all of it or nothing.
  virtual Result<void> write_together(Jobs from, Jobs to) = 0;
  // On the writer's thread: tells those who watch of events of other processes; `is_asked`: and of those that were there before.
  // Failures are not told: whoever is not woken by this look is by the next, and whoever reads learns of them.
  virtual void look(bool is_asked) = 0;

  void start() {
    thread_ = quiet_thread([this] { main(); });
  }
  void stop() {
    {
      std::lock_guard guard(lock_);
      is_closing_ = true;
    }
    wakeup_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

  Watches watches_;

 private:
  static constexpr std::chrono::milliseconds kLookEvery{20};

  void add(Job job) {
    {
      std::lock_guard guard(lock_);
      jobs_.push_back(std::move(job));
    }
    wakeup_.notify_one();
  }

  void main() {
    for (;;) {
      std::deque<Job> jobs;
      bool looks, is_asked;
      {
        std::unique_lock guard(lock_);
        auto is_awake = [&] { return !jobs_.empty() || must_look_ || is_closing_; };
        bool is_watched = !watches_.is_empty();
        if (is_watched) wakeup_.wait_for(guard, kLookEvery, is_awake);
        else wakeup_.wait(guard, is_awake);
        if (jobs_.empty() && is_closing_) return;
        jobs.swap(jobs_);
        is_asked = std::exchange(must_look_, false);
        looks = is_watched || is_asked;
      }
      if (!jobs.empty()) write(jobs);
      if (looks) look(is_asked);
    }
  }

  void write(std::deque<Job>& jobs) {
    auto written = write_together(jobs.begin(), jobs.end());
    if (written || jobs.size() == 1) return finish(jobs.begin(), jobs.end(), written);
    // One of them may be what is wrong: the others should not suffer.
    for (auto job = jobs.begin(); job != jobs.end(); ++job) finish(job, job + 1, write_together(job, job + 1));
  }

  static void finish(Jobs from, Jobs to, const Result<void>& written) {
    for (; from != to; ++from) from->finish(written ? nullptr : &written.error());
  }

  std::mutex lock_;  // of what follows
  std::condition_variable wakeup_;
  std::deque<Job> jobs_;
  bool must_look_ = false;
  bool is_closing_ = false;
  std::thread thread_;
};

}  // namespace harn::log
