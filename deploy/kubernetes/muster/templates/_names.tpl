{{/* The prefix of every object's name. Leaves room for the longest suffix within 63 characters. */}}
{{- define "muster.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else if contains "muster" .Release.Name -}}
{{- .Release.Name | trunc 45 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-muster" (.Release.Name | trunc 38 | trimSuffix "-") -}}
{{- end -}}
{{- end -}}

{{/* Labels of every object. */}}
{{- define "muster.labels" -}}
{{ include "muster.ownLabels" . }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "muster.ownLabels" -}}
helm.sh/chart: {{ printf "muster-%s" .Chart.Version | replace "+" "_" }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: muster
app.kubernetes.io/version: {{ include "muster.version" . | quote }}
{{ include "muster.instanceLabels" . }}
{{- end -}}

{{/* What all pods of the release have in common, and no pod of another one. */}}
{{- define "muster.instanceLabels" -}}
app.kubernetes.io/name: muster
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* What selects the pods of one component: (dict "root" $ "component" "auth"). */}}
{{- define "muster.selectorLabels" -}}
{{ include "muster.instanceLabels" .root }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "muster.version" -}}
{{- .Values.image.tag | default .Chart.AppVersion | trunc 63 | trimSuffix "." | trimSuffix "-" | trimSuffix "_" -}}
{{- end -}}

{{- define "muster.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{- define "muster.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (include "muster.fullname" .) -}}
{{- end -}}

{{/* The claim that holds files. */}}
{{- define "muster.claimName" -}}
{{- .Values.files.persistence.existingClaim | default (printf "%s-files" (include "muster.fullname" .)) -}}
{{- end -}}
