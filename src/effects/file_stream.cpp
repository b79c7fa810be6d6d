#include "effects/file_stream.h"

#include "effects/file_io.h"

namespace harn::effects {

namespace {

struct OpenedFile {
  Descriptor descriptor;
  std::string path;
  struct stat info = {};
};

// The open files of a VM. Used by all its tasks.
class OpenFiles {
 public:
  uint64_t add(std::shared_ptr<OpenedFile> file) {
    std::lock_guard guard(lock_);
    files_[++last_] = std::move(file);
    return last_;
  }
  std::shared_ptr<OpenedFile> find(uint64_t number) {
    std::lock_guard guard(lock_);
    auto found = files_.find(number);
    return found == files_.end() ? nullptr : found->second;
  }
  void remove(uint64_t number) {
    std::lock_guard guard(lock_);
    files_.erase(number);
  }
  bool is_empty() {
    std::lock_guard guard(lock_);
    return files_.empty();
  }

 private:
  std::mutex lock_;
  uint64_t last_ = 0;
  std::map<uint64_t, std::shared_ptr<OpenedFile>> files_;
};

OpenFiles& open_files() { return vm::Scheduler::current().scheduler->vm().local<OpenFiles>(); }

FileResult<std::shared_ptr<OpenedFile>> open(const Errand& errand, const std::string& path) {
  auto file = std::make_shared<OpenedFile>();
  file->descriptor = HARN_TRY(open_to_read(errand, path));
  file->info = HARN_TRY(info_of(file->descriptor));
  if (S_ISDIR(file->info.st_mode)) return file_failed(EISDIR);
  file->path = path;
  return file;
}

FileResult<std::string> read(std::shared_ptr<OpenedFile> file, size_t most) {
  constexpr size_t kSmall = 256 * 1024;
  auto work = [file, most](Stop& stop) { return read_some(file->descriptor, most, stop); };
  Stop never;
  bool is_direct = S_ISREG(file->info.st_mode) && most <= kSmall;
  return is_direct ? work(never) : on_file_thread("a file", leave_of(file->info), work);
}

}  // namespace

vm::Outcome<uint64_t> carry_out(Run& run, const OpenFile& request) {
  auto file = open(errand(run, request, "read", Access::Read), request.path);
  if (!file) return file_error("Failed to read file", request.path, file.error());
  return open_files().add(std::move(*file));
}

vm::Outcome<std::string> carry_out(Run&, const ReadPiece& request) {
  auto file = open_files().find(request.file);
  if (!file) return vm::throw_text(ErrorKind::Closed, "the file is closed");
  auto piece = read(file, request.most);
  if (!piece) return file_error("Failed to read file", file->path, piece.error());
  return std::move(*piece);
}

vm::Outcome<Done> carry_out(Run&, const CloseFile& request) {
  open_files().remove(request.file);
  return Done();
}

bool has_open_files(vm::Vm& vm) { return !vm.local<OpenFiles>().is_empty(); }

}  // namespace harn::effects
