#!/usr/bin/env bash
# Runs an image as docs/running.md describes: read-only, without privileges. A teammate does a task on its computer; then the
# container becomes healthy, and ends with 0 on SIGTERM.
#   deploy/docker/smoke.sh IMAGE
set -euo pipefail
image=$1
name=muster-smoke-$$
trap 'docker logs "$name" 2>&1 | tail -n 50; docker rm --force --volumes "$name" >/dev/null' EXIT

docker run --detach --name "$name" --read-only --tmpfs /tmp --volume /data --cap-drop ALL --security-opt no-new-privileges \
  --env MUSTER_ADMIN_KEY="svc_sk_$(openssl rand -hex 24)" "$image"

in_container() {
  docker exec "$name" sh -c 'MUSTER_API_KEY=$MUSTER_ADMIN_KEY exec "$@"' sh "$@"
}
until_status() {
  for _ in $(seq 1 60); do
    if [ "$(docker inspect --format "$1" "$name")" = "$2" ]; then return; fi
    sleep 1
  done
  echo "smoke: the container is not $2 after a minute" >&2
  exit 1
}

until_status '{{.State.Health.Status}}' healthy
in_container muster doctor
in_container muster workforce hire log-analyst --name Lou
in_container muster workforce run Lou "Which host failed most? web-1 ok, web-2 failed, web-2 failed" --wait --record

docker stop --time 25 "$name"
until_status '{{.State.ExitCode}}' 0
echo "smoke: passed"
