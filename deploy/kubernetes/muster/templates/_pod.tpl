{{/* (dict "root" $ "name" "auth" "component" {…}) in all of these. */}}

{{/* The restricted profile of the Pod Security Standards. */}}
{{- define "muster.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "muster.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop: [ALL]
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

{{/* preStop, the process's own limit after SIGTERM (20 s; a gateway's is its delay, its drain and 5 s more), and 10 s to spare. */}}
{{- define "muster.graceSeconds" -}}
{{- $stopSeconds := 20 -}}
{{- if eq .name "gateway" -}}
{{- $delaySeconds := 5 -}}
{{- $drainSeconds := 10 -}}
{{- with .root.Values.config -}}
{{- if hasKey . "SHUTDOWN_DELAY_SECONDS" }}{{ $delaySeconds = index . "SHUTDOWN_DELAY_SECONDS" | int }}{{ end -}}
{{- if hasKey . "DRAIN_SECONDS" }}{{ $drainSeconds = index . "DRAIN_SECONDS" | int }}{{ end -}}
{{- end -}}
{{- $stopSeconds = max 20 (add $delaySeconds $drainSeconds 5) -}}
{{- end -}}
{{- add .root.Values.pods.preStopSeconds $stopSeconds 10 -}}
{{- end -}}

{{- define "muster.mountsFiles" -}}
{{- if or .component.sandboxes (and .component.files .root.Values.files.enabled) }}true{{ end -}}
{{- end -}}

{{- define "muster.volumeMounts" -}}
- name: tmp
  mountPath: /tmp
{{- if include "muster.mountsFiles" . }}
- name: data
  mountPath: /data
{{- end }}
{{- with .root.Values.pods.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "muster.volumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: {{ .values.tmpSize }}
{{- if include "muster.mountsFiles" . }}
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
