#!/bin/sh
# Writes the secrets that `.env` beside this file lacks. Never replaces one: the data could not be read without its keys.
set -eu
file="$(dirname "$0")/.env"
secret() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }
add() { grep -q "^$1=" "$file.new" || echo "$1=$2" >> "$file.new"; }
umask 077
if [ -e "$file" ]; then
  cp "$file" "$file.new"
else
  echo "# Secrets of this installation. Keep a copy apart from the volumes: without MUSTER_SECRETS_KEY, provider keys cannot be decrypted." > "$file.new"
fi
add MUSTER_PRINCIPAL_SECRET "$(secret 32)"
add MUSTER_SECRETS_KEY "$(secret 32)"
add MUSTER_ADMIN_KEY "svc_sk_$(secret 24)"
add MONGODB_PASSWORD "$(secret 24)"
add MONGODB_ROOT_PASSWORD "$(secret 24)"
add GRAFANA_ADMIN_PASSWORD "$(secret 16)"
mv "$file.new" "$file"
echo "make-env.sh: $file has all secrets. The admin key of Muster and the password of Grafana's admin are in it."
