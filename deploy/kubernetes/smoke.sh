#!/usr/bin/env bash
# Installs the chart in a new cluster of kind, with MongoDB and NATS, in a namespace that enforces the restricted profile, and removes the
# cluster afterwards. A teammate does a task before and after all pods have been replaced, and after a restore. Needs docker, kind, kubectl and helm.
#   deploy/kubernetes/smoke.sh IMAGE            such as muster:smoke
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
image=$1
export KUBECONFIG=${TMPDIR:-/tmp}/muster-smoke-$$.kubeconfig
cluster=muster-smoke-$$

finish() {
  local status=$?
  if [ "$status" -ne 0 ]; then
    kubectl get pods --all-namespaces --output wide || true
    kubectl --namespace muster get events --sort-by .lastTimestamp | tail -n 40 || true
    kubectl --namespace muster logs --selector app.kubernetes.io/instance=muster --tail 20 --prefix || true
  fi
  kind delete cluster --name "$cluster"
  rm -f "$KUBECONFIG"
  exit "$status"
}
trap finish EXIT

kind create cluster --name "$cluster" --wait 120s
kind load docker-image "$image" --name "$cluster"
kubectl apply --filename smoke/stores.yaml
kubectl --namespace data wait --for condition=Available deployment --all --timeout 180s
kubectl --namespace data exec deployment/mongodb -- mongosh --quiet --eval \
  'rs.initiate({ _id: "rs0", members: [{ _id: 0, host: "mongodb.data.svc.cluster.local:27017" }] }); while (!db.hello().isWritablePrimary) sleep(200)'

muster() {
  kubectl --namespace muster exec deployment/muster-gateway -- sh -c 'export MUSTER_API_KEY=$1; shift; exec muster "$@"' sh \
    "$(kubectl --namespace muster get secret muster-settings --output go-template='{{ .data.MUSTER_ADMIN_KEY | base64decode }}')" "$@"
}
upgrade() {
  helm upgrade muster muster --install --namespace muster --values smoke/values.yaml \
    --set image.repository="${image%:*}" --set image.tag="${image##*:}" --wait --timeout 5m "$@"
  helm test muster --namespace muster
}

kubectl create namespace muster
kubectl label namespace muster pod-security.kubernetes.io/enforce=restricted
upgrade
muster doctor
muster workforce hire log-analyst --name Lou
muster workforce run Lou "Which host failed most? web-1 ok, web-2 failed, web-2 failed" --wait --record

upgrade --set pods.annotations.smoke=again
muster workforce run Lou "Which host failed most? web-1 ok, web-2 failed, web-2 failed" --wait

# The teammate that is hired after the backup is gone after its restore, and the other one works.
kubectl config set-context --current --namespace muster
kubectl create job backup --from cronjob/muster-backup
kubectl wait --for condition=Complete --timeout 3m job/backup
copy=$(kubectl logs job/backup | sed -n 's/^made //p')
muster workforce hire log-analyst --name Max
kubectl scale deployment --all --replicas 0
kubectl wait --for delete --timeout 2m pod --selector app.kubernetes.io/component=gateway
kubectl create job restore --from cronjob/muster-backup --dry-run=client --output yaml |
  kubectl set env --local --filename - --output yaml RESTORE="$copy" | kubectl apply --filename -
kubectl wait --for condition=Complete --timeout 3m job/restore
kubectl scale deployment --all --replicas 1
kubectl rollout status deployment --timeout 3m
if muster workforce list | grep Max; then echo "smoke: the restore has changed nothing" >&2 && exit 1; fi
muster workforce run Lou "Which host failed most? web-1 ok, web-2 failed, web-2 failed" --wait

kubectl --namespace muster get pods --selector '!job-name' --output \
  jsonpath='{range .items[*]}{.metadata.name} {.status.containerStatuses[0].restartCount}{"\n"}{end}' |
  awk '{ print } $2 > 0 { restarted = 1 } END { exit restarted }'
echo "smoke: passed"
