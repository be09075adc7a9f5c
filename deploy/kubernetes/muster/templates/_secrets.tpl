{{/*
Settings that are secret come from the release's own Secret, from `secrets.existingSecret`, or from a Secret of the operator of
MongoDB or NATS.
*/}}

{{/* The values that the chart was given, by variable, as JSON. Without generated ones. */}}
{{- define "muster.givenSecrets" -}}
{{- $given := dict -}}
{{- with .Values.secrets.principalSecret }}{{- $_ := set $given "MUSTER_PRINCIPAL_SECRET" . -}}{{- end -}}
{{- with .Values.secrets.adminKey }}{{- $_ := set $given "MUSTER_ADMIN_KEY" . -}}{{- end -}}
{{- with .Values.secrets.secretsKey }}{{- $_ := set $given "MUSTER_SECRETS_KEY" . -}}{{- end -}}
{{- with .Values.secrets.oidcClientSecret }}{{- $_ := set $given "CONSOLE_OIDC_CLIENT_SECRET" . -}}{{- end -}}
{{- range $variable, $key := .Values.secrets.providerKeys -}}
{{- if $key }}{{- $_ := set $given $variable $key -}}{{- end -}}
{{- end -}}
{{- with .Values.mongodb.uri }}{{- $_ := set $given "MONGODB_URI" . -}}{{- end -}}
{{- with .Values.nats.url }}{{- $_ := set $given "NATS_URL" . -}}{{- end -}}
{{- $given | toJson -}}
{{- end -}}

{{/* The variables that are generated unless they are given, as a JSON list. */}}
{{- define "muster.generatedSecrets" -}}
{{- if .Values.secrets.generate -}}
{{- list "MUSTER_PRINCIPAL_SECRET" "MUSTER_ADMIN_KEY" "MUSTER_SECRETS_KEY" | toJson -}}
{{- else -}}
[]
{{- end -}}
{{- end -}}

{{/* 32 random bytes, in the form that the variable needs: (dict "variable" "MUSTER_ADMIN_KEY"). */}}
{{- define "muster.newSecret" -}}
{{- if eq .variable "MUSTER_ADMIN_KEY" -}}
{{- printf "svc_sk_%s" (randAlphaNum 48) -}}
{{- else -}}
{{- randBytes 32 -}}
{{- end -}}
{{- end -}}

{{/*
Where the value of a variable comes from, as JSON {name, key}; {} if it is not set: (dict "root" $ "variable" "NATS_URL").
*/}}
{{- define "muster.secretSource" -}}
{{- $values := .root.Values -}}
{{- $own := printf "%s-settings" (include "muster.fullname" .root) -}}
{{- $given := include "muster.givenSecrets" .root | fromJson -}}
{{- $generated := include "muster.generatedSecrets" .root | fromJsonArray -}}
{{- if or (hasKey $given .variable) (has .variable $generated) -}}
{{- dict "name" $own "key" .variable | toJson -}}
{{- else if and (eq .variable "MONGODB_URI") $values.mongodb.existingSecret.name -}}
{{- $values.mongodb.existingSecret | toJson -}}
{{- else if and (eq .variable "NATS_URL") $values.nats.existingSecret.name -}}
{{- $values.nats.existingSecret | toJson -}}
{{- else if $values.secrets.existingSecret -}}
{{- dict "name" $values.secrets.existingSecret "key" .variable | toJson -}}
{{- else -}}
{}
{{- end -}}
{{- end -}}
