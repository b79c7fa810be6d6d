#!/bin/sh
# Starts the compiler through ccache: ccache.sh SOURCE_DIR COMPILER ARGUMENT...
#
# Without the sloppiness, and -fpch-preprocess, ccache gives up on every file that uses a precompiled header. With the others a second clone
# on the same machine finds what the first one has compiled.
export CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_BASEDIR="$1" CCACHE_NOHASHDIR=1
shift
case " $* " in
  *" -x c++-header "*)
    # While an old precompiled header is there, the preprocessor puts its name in the place of what it was made of, and ccache gives an answer
    # that was meant for other headers.
    export CCACHE_NAMESPACE=precompiled
    found=
    for word in "$@"; do
      [ "$found" != -o ] || rm -f "$word"
      found=$word
    done ;;
esac
exec ccache "$@"
