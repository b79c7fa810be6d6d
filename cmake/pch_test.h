// What every unit test uses: precompiled once for all of them.
#include <gtest/gtest.h>

#include "cmake/pch.h"
