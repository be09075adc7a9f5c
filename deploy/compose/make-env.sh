#!/bin/sh
# Writes `.env` beside this file, with secrets of its own. Never replaces one: the data could not be read without its keys.
set -eu
file="$(dirname "$0")/.env"
if [ -e "$file" ]; then
  echo "make-env.sh: $file exists; change it by hand, or delete it together with the volumes." >&2
  exit 1
fi
secret() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }
umask 077
{
  echo "# Secrets of this installation. Keep a copy apart from the volumes: without MUSTER_SECRETS_KEY, provider keys cannot be decrypted."
  echo "MUSTER_PRINCIPAL_SECRET=$(secret 32)"
  echo "MUSTER_SECRETS_KEY=$(secret 32)"
  echo "MUSTER_ADMIN_KEY=svc_sk_$(secret 24)"
  echo "GRAFANA_ADMIN_PASSWORD=$(secret 16)"
} > "$file.new"
mv "$file.new" "$file"
echo "make-env.sh: wrote $file. The admin key of Muster and the password of Grafana's admin are in it."
