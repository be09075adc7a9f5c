# Starts a command as a container does: as process 1, with a root directory of its own in which only /data and /tmp can be written, as
# a user without privileges. Called by `unshare`, with the programs of this machine instead of those of the base image.
#   container.sh ROOT IMAGE DATA NODE USER GROUP COMMAND...
set -eu
root=$1 image=$2 data=$3 node=$4 user=$5 group=$6
shift 6

mount --make-rprivate /
mount -t tmpfs tmpfs "$root"
read_only() {
  mkdir -p "$2"
  mount --bind "$1" "$2"
  mount -o remount,bind,ro "$2"
}
for folder in bin sbin lib lib32 lib64 usr etc; do
  if [ -L "/$folder" ]; then
    ln -s "$(readlink "/$folder")" "$root/$folder"
  elif [ -d "/$folder" ]; then
    read_only "/$folder" "$root/$folder"
  fi
done
read_only "$image" "$root/app"
read_only "$(dirname "$node")" "$root/node"
mkdir "$root/dev" "$root/proc" "$root/tmp" "$root/data"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
chmod 1777 "$root/tmp"
mount --bind "$data" "$root/data"
mount -o remount,ro "$root"
exec chroot "$root" setpriv --reuid "$user" --regid "$group" --clear-groups --no-new-privs --bounding-set=-all \
  env --chdir=/app "$@"
