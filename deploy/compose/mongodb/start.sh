#!/bin/sh
# Starts MongoDB with access control. Members of a replica set know each other by a key; this one is alone, so a new key at each start
# will do. `/tmp/root.yaml` is for `mongodump` and `mongorestore`: their arguments could be read by others on this host.
set -eu
umask 077
od -An -N96 -tx1 /dev/urandom | tr -d ' \n' > /tmp/key
echo "uri: mongodb://root:$MONGODB_ROOT_PASSWORD@localhost:27017/" > /tmp/root.yaml
exec docker-entrypoint.sh mongod --replSet rs0 --keyFile /tmp/key --bind_ip_all
