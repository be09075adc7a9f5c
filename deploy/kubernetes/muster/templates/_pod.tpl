{{/* (dict "root" $ "name" "auth" "component" {…}) in all of these. */}}

{{/* The restricted profile of the Pod Security Standards, for the root context. OpenShift refuses ids outside of the namespace's range. */}}
{{- define "muster.podSecurityContext" -}}
{{- $restricted := dict "runAsNonRoot" true "fsGroupChangePolicy" "OnRootMismatch" "seccompProfile" (dict "type" "RuntimeDefault") -}}
{{- $ids := dict "runAsUser" 10001 "runAsGroup" 10001 "fsGroup" 10001 -}}
{{- $ids = ternary dict $ids (.Capabilities.APIVersions.Has "security.openshift.io/v1") -}}
{{- merge (dict) .Values.pods.podSecurityContext $ids $restricted | toYaml -}}
{{- end -}}

{{/* Not empty for pods that run agents' commands with bubblewrap. */}}
{{- define "muster.runsPrograms" -}}
{{- if eq (dig "computers" "runtime" "" (.values | default dict)) "bubblewrap" }}true{{ end -}}
{{- end -}}

{{/* Bubblewrap makes namespaces and mounts in them, which the default profiles and a masked /proc refuse. */}}
{{- define "muster.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
{{- if include "muster.runsPrograms" . }}
procMount: Unmasked
seccompProfile:
  {{- toYaml .values.computers.seccompProfile | nindent 2 }}
appArmorProfile:
  {{- toYaml .values.computers.appArmorProfile | nindent 2 }}
{{- end }}
{{- end -}}

{{/*
No probe depends on other processes: neither a restart nor other instances bring MongoDB back, and without all instances nothing would work.
*/}}
{{- define "muster.probes" -}}
{{- if eq .name "gateway" -}}
startupProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 30
readinessProbe:
  httpGet: { path: "/readyz?scope=self", port: http }
  periodSeconds: 2
  timeoutSeconds: 2
livenessProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
{{- else -}}
startupProbe:
  grpc: { port: {{ .component.port }}, service: liveness }
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 30
readinessProbe:
  grpc: { port: {{ .component.port }}, service: self }
  periodSeconds: 2
  timeoutSeconds: 2
livenessProbe:
  grpc: { port: {{ .component.port }}, service: liveness }
  periodSeconds: 10
  timeoutSeconds: 5
{{- end -}}
{{- end -}}

{{/*
Endpoints leave the Service while a pod stops, and callers notice within seconds. A service waits for that before SIGTERM. A gateway
needs no wait: after SIGTERM, it accepts requests for SHUTDOWN_DELAY_SECONDS, and asks each client for another connection.
*/}}
{{- define "muster.preStopSeconds" -}}
{{- if eq .name "gateway" }}0{{ else }}{{ .root.Values.pods.preStopSeconds }}{{ end -}}
{{- end -}}

{{/* The time before SIGTERM, the process's own limit after it (20 s; a gateway's is its delay, its drain and 5 s more), and 10 s to spare. */}}
{{- define "muster.graceSeconds" -}}
{{- $stopSeconds := 20 -}}
{{- if eq .name "gateway" -}}
{{- $delaySeconds := dig "SHUTDOWN_DELAY_SECONDS" .root.Values.pods.preStopSeconds .root.Values.config | int -}}
{{- $drainSeconds := dig "DRAIN_SECONDS" 10 .root.Values.config | int -}}
{{- $stopSeconds = add $delaySeconds $drainSeconds 5 -}}
{{- end -}}
{{- add (include "muster.preStopSeconds" . | int) $stopSeconds 10 -}}
{{- end -}}

{{/* The folders of the volume that a component uses, as a JSON list: those of uploaded files and videos only if there are any. */}}
{{- define "muster.folders" -}}
{{- $folders := list -}}
{{- range .component.folders -}}
{{- if or (eq . "blobs") $.root.Values.files.enabled }}{{- $folders = append $folders . -}}{{- end -}}
{{- end -}}
{{- $folders | toJson -}}
{{- end -}}

{{- define "muster.volumeMounts" -}}
- name: tmp
  mountPath: /tmp
{{- if include "muster.runsPrograms" . }}
- name: homes
  mountPath: /homes
{{- end }}
{{- range include "muster.folders" . | fromJsonArray }}
- name: data
  mountPath: /data/{{ . }}
  subPath: {{ . }}
{{- end }}
{{- with .root.Values.pods.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "muster.volumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: {{ .values.tmpSize }}
{{- if include "muster.runsPrograms" . }}
- name: homes
  emptyDir:
    sizeLimit: {{ .values.computers.homesSize }}
{{- end }}
{{- if include "muster.folders" . | fromJsonArray }}
- name: data
  {{- if .root.Values.files.persistence.enabled }}
  persistentVolumeClaim:
    claimName: {{ include "muster.claimName" .root }}
  {{- else }}
  emptyDir: {}
  {{- end }}
{{- end }}
{{- with .root.Values.pods.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Instances of one version spread over zones and nodes. */}}
{{- define "muster.topologySpread" -}}
{{- range .root.Values.pods.topologySpread }}
- topologyKey: {{ .topologyKey }}
  maxSkew: {{ .maxSkew }}
  whenUnsatisfiable: {{ .whenUnsatisfiable }}
  labelSelector:
    matchLabels:
      {{- include "muster.selectorLabels" (dict "root" $.root "component" $.name) | nindent 6 }}
  matchLabelKeys: [pod-template-hash]
{{- end }}
{{- end -}}
