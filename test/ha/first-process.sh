# The first process of the laboratory's namespaces: it takes in processes whose parents have died, as init does, and ends
# with what it was given to run.
mount -t tmpfs -o size=8g,mode=755 topup-ha /mnt
mount -t tmpfs -o mode=1777 shm /dev/shm
"$@" &
child=$!
trap 'kill -TERM $child' INT TERM HUP
while :; do
  wait $child
  code=$?
  kill -0 $child 2>/dev/null || exit $code
done
