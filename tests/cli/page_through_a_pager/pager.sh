# Reads its text from standard input and a key from the terminal, as pagers do.
echo "[pager: $(wc -l) lines]"
read -r key < /dev/tty
echo "[pager got $key]"
exit ${PAGER_EXIT:-0}
