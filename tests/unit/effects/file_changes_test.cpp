#include "effects/file_changes.h"

#include <gtest/gtest.h>

namespace harn::effects {
namespace {

std::string told(FileChanges& changes) {
  constexpr const char* kNames[] = {"created", "modified", "deleted", "moved", "overflow"};
  std::string all;
  for (const FileChange& change : changes.take()) {
    all += std::string(kNames[static_cast<int>(change.kind)]) + " " + change.path;
    if (!change.old_path.empty()) all += " was " + change.old_path;
    all += "\n";
  }
  return all;
}

TEST(FileChanges, AFileThatIsMadeAndWrittenIsCreated) {
  FileChanges changes;
  changes.created("a");
  changes.modified("a");
  EXPECT_EQ(told(changes), "created a\n");
  EXPECT_EQ(told(changes), "");
}

TEST(FileChanges, WhatCameAndWentIsNotTold) {
  FileChanges changes;
  changes.created("a");
  changes.moved("a", "b", false);
  changes.deleted("b");
  EXPECT_EQ(told(changes), "");
}

TEST(FileChanges, AFileThatIsReplacedIsModified) {
  FileChanges changes;
  changes.created("a.tmp");
  changes.modified("a.tmp");
  changes.moved("a.tmp", "a", true);
  changes.deleted("b");
  changes.created("b");
  EXPECT_EQ(told(changes), "modified a\nmodified b\n");
}

TEST(FileChanges, SeveralMovesAreOne) {
  FileChanges changes;
  changes.moved("a", "b", false);
  changes.moved("b", "c", false);
  changes.modified("c");
  EXPECT_EQ(told(changes), "moved c was a\n");
  changes.moved("a", "b", false);
  changes.moved("b", "a", false);
  EXPECT_EQ(told(changes), "modified a\n");
}

TEST(FileChanges, AMovedFileThatIsDeletedIsGoneFromItsOldPath) {
  FileChanges changes;
  changes.moved("a", "b", true);
  changes.deleted("b");
  EXPECT_EQ(told(changes), "deleted a\ndeleted b\n");
  changes.moved("a", "b", false);
  changes.deleted("b");
  EXPECT_EQ(told(changes), "deleted a\n");
}

TEST(FileChanges, AFileMovedOverAMovedOneDeletesThat) {
  FileChanges changes;
  changes.moved("a", "c", false);
  changes.moved("b", "c", true);
  EXPECT_EQ(told(changes), "deleted a\nmoved c was b\n");
}

TEST(FileChanges, LostOnesComeFirst) {
  FileChanges changes;
  changes.created("a");
  changes.overflowed("root");
  EXPECT_EQ(told(changes), "overflow root\ncreated a\n");
}

}  // namespace
}  // namespace harn::effects
