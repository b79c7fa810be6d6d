#include "effects/file_stream.h"

#include "base/shared_table.h"
#include "effects/file_io.h"

namespace harn::effects {

namespace {

struct OpenedFile {
  Descriptor descriptor;
  std::string path;
  struct stat info = {};
};

// The open files of a VM.
using OpenFiles = SharedTable<uint64_t, std::shared_ptr<OpenedFile>>;
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
  uint64_t number = open_files().next_number();
  open_files().put(number, std::move(*file));
  return number;
}

vm::Outcome<std::string> carry_out(Run&, const ReadPiece& request) {
  auto file = open_files().find(request.file).value_or(nullptr);
  if (!file) return vm::throw_text(ErrorKind::Closed, "the file is closed");
  auto piece = read(file, request.most);
  if (!piece) return file_error("Failed to read file", file->path, piece.error());
  return std::move(*piece);
}

vm::Outcome<Done> carry_out(Run&, const CloseFile& request) {
  open_files().take(request.file);
  return Done();
}

bool has_open_files(vm::Vm& vm) { return vm.local<OpenFiles>().count() > 0; }

}  // namespace harn::effects
