source harn.bash
offer() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
  _harn
  echo "$*: ${COMPREPLY[*]}"
}
offer harn ch
offer harn ""
offer harn check --
offer harn explain --format ""
offer harn completions z
offer harn run a
offer harn bench -n ""
