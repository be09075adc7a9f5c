{{/* A value of `config` as text. Helm reads numbers as floats, and would write large ones as 1e+07. */}}
{{- define "muster.text" -}}
{{- if kindIs "float64" . }}{{ int64 . }}{{ else }}{{ . }}{{ end -}}
{{- end -}}

{{/* The address under which clients reach the release, if the chart knows it. */}}
{{- define "muster.publicUrl" -}}
{{- with .Values.ingress -}}
{{- if .enabled }}{{ ternary "https" "http" .tls.enabled }}://{{ .host }}{{ end -}}
{{- end -}}
{{- end -}}

{{/*
The environment of a component as a YAML list, without `extraEnv`: (dict "root" $ "name" "auth" "component" {…}). A process gets
only what it reads, so a key of a model provider is in no pod but those of sessions.
*/}}
{{- define "muster.environment" -}}
{{- $root := .root -}}
{{- $prefix := upper .name -}}
- name: {{ ternary "HOST" (printf "%s_HOST" $prefix) (eq .name "gateway") }}
  value: {{ $root.Values.listenAddress | quote }}
- name: {{ ternary "PORT" (printf "%s_PORT" $prefix) (eq .name "gateway") }}
  value: {{ .component.port | quote }}
{{- if $root.Values.metrics.enabled }}
- name: METRICS_PORT
  value: {{ $root.Values.metrics.port | quote }}
{{- end }}
{{- $callees := include "muster.components" $root | fromYaml }}
{{- range .component.calls }}
- name: {{ upper . }}_ADDRESSES
  value: dns:///{{ include "muster.fullname" $root }}-{{ . }}.{{ $root.Release.Namespace }}.svc.{{ $root.Values.clusterDomain }}.:{{ index $callees . "port" }}
{{- end }}
{{- range include "muster.folders" . | fromJsonArray }}
{{- if eq . "blobs" }}
- name: DATA_DIR
  value: /data
{{- else }}
- name: FILES_DIRECTORY
  value: /data/files
{{- end }}
{{- end }}
{{- if include "muster.runsPrograms" . }}
- name: COMPUTER_RUNTIME
  value: bubblewrap
- name: SANDBOX_HOMES_DIRECTORY
  value: /homes
{{- end }}
{{- $config := $root.Values.config }}
{{- $publicUrl := include "muster.publicUrl" $root }}
{{- if and $publicUrl (not (hasKey $config "PUBLIC_URL")) }}
{{- $config = merge (dict "PUBLIC_URL" $publicUrl) $config }}
{{- end }}
{{- if not (hasKey $config "SHUTDOWN_DELAY_SECONDS") }}
{{- $config = merge (dict "SHUTDOWN_DELAY_SECONDS" $root.Values.pods.preStopSeconds) $config }}
{{- end }}
{{- range concat (list "LOG_LEVEL") .component.settings }}
{{- if hasKey $config . }}
- name: {{ . }}
  value: {{ include "muster.text" (index $config .) | quote }}
{{- end }}
{{- end }}
{{- range concat .component.secrets .component.optionalSecrets }}
{{- $source := include "muster.secretSource" (dict "root" $root "variable" .) | fromJson }}
{{- if $source }}
- name: {{ . }}
  valueFrom:
    secretKeyRef:
      name: {{ $source.name }}
      key: {{ $source.key }}
      {{- if and (has . $.component.optionalSecrets) (not (and (eq . "MUSTER_SECRETS_KEY") $root.Values.files.enabled)) }}
      optional: true
      {{- end }}
{{- end }}
{{- end }}
{{- end -}}
