#!/usr/bin/env bash
# Installs Muster with Compose as README.md describes, with an image that exists already, and removes everything afterwards. A teammate
# does a task through the proxy, before and after instances have joined and MongoDB has restarted. No process may have restarted.
#   deploy/compose/smoke.sh IMAGE
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
export MUSTER_IMAGE=$1 COMPOSE_PROJECT_NAME=muster-smoke

finish() {
  local status=$?
  if [ "$status" -ne 0 ]; then docker compose ps --all && docker compose logs --tail 40; fi
  docker compose down --volumes
  if [ "$made_env" = yes ]; then rm -f .env; fi
  exit "$status"
}
made_env=no
if [ ! -e .env ]; then sh make-env.sh && made_env=yes; fi
trap finish EXIT

# Commands of a client that reaches the gateways through the proxy.
muster() {
  docker compose exec -T gateway sh -c \
    'export MUSTER_URL=http://proxy:8080 MUSTER_API_KEY=$1; shift; exec muster "$@"' sh "$(sed -n 's/^MUSTER_ADMIN_KEY=//p' .env)" "$@"
}
promtool() {
  docker compose exec -T prometheus promtool "$@"
}

docker compose up --detach --wait --no-build
muster doctor
muster workforce hire log-analyst --name Lou
muster workforce run Lou "Which host failed most? web-1 ok, web-2 failed, web-2 failed" --wait --record

promtool check config /etc/prometheus/prometheus.yaml
docker compose exec -T alertmanager amtool check-config /etc/alertmanager/alertmanager.yaml
if docker compose exec -T mongodb mongosh --quiet --eval 'db.getSiblingDB("muster_auth").api_keys.findOne()' mongodb://127.0.0.1; then
  echo "smoke: MongoDB can be read without a password" >&2 && exit 1
fi
for _ in $(seq 1 30); do
  answer=$(promtool query instant http://127.0.0.1:9090 'count(count by (job) (up{job=~"muster-.+"} == 1))')
  if [[ "$answer" == *"=> 6 "* ]]; then break; fi
  sleep 2
done
if [[ "$answer" != *"=> 6 "* ]]; then echo "smoke: Prometheus does not reach all six services: $answer" >&2 && exit 1; fi

docker compose restart mongodb
docker compose up --detach --wait --no-build --scale gateway=3 --scale sessions=3
muster doctor
muster workforce run Lou "Which host failed most? web-1 ok, web-2 failed, web-2 failed" --wait

for container in $(docker compose ps --quiet); do
  docker inspect --format '{{.Name}} {{.RestartCount}}' "$container"
done | awk '{ print } $2 > 0 { restarted = 1 } END { exit restarted }'
echo "smoke: passed"
