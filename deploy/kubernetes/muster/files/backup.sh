# Copies MongoDB and the volume of files to a folder of /backups; with RESTORE, puts the copy of that name back.
set -eu
umask 077
backups=${BACKUPS:-/backups} data=${DATA:-/data} config=${TMPDIR:-/tmp}/mongodb.yaml
# Arguments could be read by every process of the node.
printf 'uri: "%s"\n' "$MONGODB_URI" > "$config"

if [ -n "${RESTORE:-}" ]; then
  cd "$backups/$RESTORE"
  # The users of MongoDB stay as they are.
  mongorestore --config "$config" --gzip --archive=mongodb.archive --oplogReplay --drop --nsExclude 'admin.*'
  if [ -e files.tar ]; then tar -C "$data" -xf files.tar; fi
  echo "restored $RESTORE"
  exit
fi

# pack FOLDER OPTION…: tar exits with 1 if a file has changed or disappeared meanwhile, which is no failure.
pack() {
  folder=$1
  shift
  [ ! -d "$data/$folder" ] || tar -C "$data" -rf files.tar "$@" "$folder" || [ $? -eq 1 ]
}

name=muster-$(date -u +%Y-%m-%dT%H-%M-%SZ)
mkdir "$backups/$name.unfinished"
cd "$backups/$name.unfinished"
began=$(date +%s)
# The dump may refer to a file of an agent's computer that is new, or that is removed meanwhile.
pack blobs
mongodump --config "$config" --gzip --archive=mongodb.archive --oplog
pack blobs --newer-mtime="@$began"
pack files
cd "$backups"
mv "$name.unfinished" "$name"
find . -maxdepth 1 -name 'muster-*.unfinished' -mtime +1 -exec rm -rf {} +
ls -d muster-*Z | sort -r | tail -n "+$((KEEP + 1))" | xargs rm -rf
echo "made $name"
