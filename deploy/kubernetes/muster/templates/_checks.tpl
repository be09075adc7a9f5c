{{/*
What the schema cannot express: values that contradict each other. Fails with one sentence that names the values and what to do.
*/}}
{{- define "muster.check" -}}
{{- include "muster.checkForms" . -}}
{{- include "muster.checkSecrets" . -}}
{{- include "muster.checkFiles" . -}}
{{- include "muster.checkMetrics" . -}}
{{- include "muster.checkService" . -}}
{{- include "muster.checkBackup" . -}}
{{- range $name, $component := include "muster.enabledComponents" . | fromJson -}}
{{- include "muster.checkComponent" (dict "root" $ "name" $name "component" $component "values" (index $.Values $name)) -}}
{{- end -}}
{{- with .Values.ingress -}}
{{- if and .enabled (not .host) -}}
{{- fail "ingress.enabled needs ingress.host, the name under which clients reach Muster, such as muster.example.com." -}}
{{- end -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) -}}
{{- fail "httpRoute.enabled needs httpRoute.parentRefs: the Gateway that the route belongs to, such as [{name: public, namespace: gateways}]." -}}
{{- end -}}
{{- if and (not .Values.serviceAccount.create) (not .Values.serviceAccount.name) -}}
{{- fail "serviceAccount.create is false, so serviceAccount.name must name an existing service account." -}}
{{- end -}}
{{- end -}}

{{/* The schema would repeat a value that does not match, so secrets are checked here. */}}
{{- define "muster.checkForms" -}}
{{- $secrets := .Values.secrets -}}
{{- range splitList "," $secrets.principalSecret -}}
{{- if and $secrets.principalSecret (lt (len (trim .)) 32) -}}
{{- fail "secrets.principalSecret must have at least 32 characters, such as the output of openssl rand -hex 32; several are separated by commas." -}}
{{- end -}}
{{- end -}}
{{- if and $secrets.adminKey (not (regexMatch "^svc_sk_[A-Za-z0-9_-]{32,128}$" $secrets.adminKey)) -}}
{{- fail "secrets.adminKey must be svc_sk_ followed by 32 to 128 letters, digits, - or _, such as svc_sk_$(openssl rand -hex 24)." -}}
{{- end -}}
{{- range splitList "," $secrets.secretsKey -}}
{{- if and $secrets.secretsKey (lt (len (trim .)) 32) -}}
{{- fail "secrets.secretsKey must have at least 32 characters, such as the output of openssl rand -hex 32; several are separated by commas." -}}
{{- end -}}
{{- end -}}
{{- if and .Values.mongodb.uri (not (regexMatch "^mongodb(\\+srv)?://\\S+$" .Values.mongodb.uri)) -}}
{{- fail "mongodb.uri must look like mongodb://host:27017/?replicaSet=name." -}}
{{- end -}}
{{- range splitList "," .Values.nats.url -}}
{{- if and $.Values.nats.url (not (regexMatch "^(nats|tls)://[^\\s/]+/?$" (trim .))) -}}
{{- fail "nats.url must look like nats://host:4222 or tls://host:4222; several are separated by commas." -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "muster.checkSecrets" -}}
{{- $secrets := .Values.secrets -}}
{{- $given := list -}}
{{- range $name := list "principalSecret" "adminKey" "secretsKey" "oidcClientSecret" -}}
{{- if index $secrets $name }}{{- $given = append $given (printf "secrets.%s" $name) -}}{{- end -}}
{{- end -}}
{{- range $name, $key := $secrets.providerKeys -}}
{{- if $key }}{{- $given = append $given (printf "secrets.providerKeys.%s" $name) -}}{{- end -}}
{{- end -}}
{{- if $secrets.generate }}{{- $given = append $given "secrets.generate" -}}{{- end -}}
{{- if and $secrets.existingSecret $given -}}
{{- fail (printf "secrets.existingSecret and %s are both set. Put all secrets into the Secret %s, or remove secrets.existingSecret." (join ", " $given) $secrets.existingSecret) -}}
{{- end -}}
{{- range $variable, $value := dict "MUSTER_PRINCIPAL_SECRET" "principalSecret" "MUSTER_ADMIN_KEY" "adminKey" -}}
{{- if not (include "muster.secretSource" (dict "root" $ "variable" $variable) | fromJson) -}}
{{- fail (printf "%s is missing. Set secrets.existingSecret to a Secret that contains it, set secrets.%s, or let the chart make it with secrets.generate=true." $variable $value) -}}
{{- end -}}
{{- end -}}
{{- range $name, $variable := dict "mongodb" "MONGODB_URI" "nats" "NATS_URL" -}}
{{- $value := ternary "uri" "url" (eq $name "mongodb") -}}
{{- $settings := index $.Values $name -}}
{{- if and (index $settings $value) $settings.existingSecret.name -}}
{{- fail (printf "%s.%s and %s.existingSecret.name are both set. Remove one of them." $name $value $name) -}}
{{- end -}}
{{- if not (include "muster.secretSource" (dict "root" $ "variable" $variable) | fromJson) -}}
{{- fail (printf "%s is missing. Set %s.%s, %s.existingSecret.name, or secrets.existingSecret to a Secret that contains %s." $variable $name $value $name $variable) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "muster.checkFiles" -}}
{{- $files := .Values.files -}}
{{- if and .Values.recorder.enabled (not $files.enabled) -}}
{{- fail "recorder.enabled needs files.enabled, since videos are files. Set recorder.enabled=false or files.enabled=true." -}}
{{- end -}}
{{- if and $files.enabled (not (include "muster.secretSource" (dict "root" . "variable" "MUSTER_SECRETS_KEY") | fromJson)) -}}
{{- fail "files.enabled needs MUSTER_SECRETS_KEY, which signs the addresses of files. Set secrets.secretsKey (openssl rand -hex 32), secrets.existingSecret or secrets.generate=true, or files.enabled=false." -}}
{{- end -}}
{{- if not $files.persistence.enabled -}}
{{- if $files.enabled -}}
{{- fail "files.enabled needs files.persistence.enabled, since all processes share the files. Set files.enabled=false, or enable the volume." -}}
{{- end -}}
{{- if $files.persistence.existingClaim -}}
{{- fail "files.persistence.existingClaim is set, but files.persistence.enabled is false. Set it to true, or remove the claim." -}}
{{- end -}}
{{- if or .Values.workforce.autoscaling.enabled (gt (int .Values.workforce.replicas) 1) -}}
{{- fail "Several workforce instances need files.persistence.enabled, since they share the files of agents' computers. Set workforce.replicas=1 and workforce.autoscaling.enabled=false, or enable the volume." -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "muster.checkMetrics" -}}
{{- $metrics := .Values.metrics -}}
{{- if not $metrics.enabled -}}
{{- range $name := list "serviceMonitor" "rules" "dashboard" -}}
{{- if (index $metrics $name).enabled -}}
{{- fail (printf "metrics.%s.enabled needs metrics.enabled." $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "muster.checkService" -}}
{{- with .Values.gateway.service -}}
{{- if and .loadBalancerClass (ne .type "LoadBalancer") -}}
{{- fail (printf "gateway.service.loadBalancerClass needs gateway.service.type LoadBalancer, not %s." .type) -}}
{{- end -}}
{{- if and .externalTrafficPolicy (eq .type "ClusterIP") -}}
{{- fail "gateway.service.externalTrafficPolicy needs gateway.service.type LoadBalancer or NodePort, not ClusterIP." -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "muster.checkBackup" -}}
{{- with .Values.backup -}}
{{- if and .enabled (not .existingClaim) -}}
{{- fail "backup.enabled needs backup.existingClaim: the claim of the volume for the copies." -}}
{{- end -}}
{{- if and .enabled $.Values.files.persistence.enabled (eq .existingClaim (include "muster.claimName" $)) -}}
{{- fail (printf "backup.existingClaim is %s, the claim of the files themselves. Use another volume for the copies." .existingClaim) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* A quantity of Kubernetes, such as 512Mi, 1.5G or 1000000, as a decimal. */}}
{{- define "muster.number" -}}
{{- if not (kindIs "string" .) -}}
{{- printf "%f" (float64 .) -}}
{{- else -}}
{{- $digits := regexFind "^[0-9.]+" . -}}
{{- $factors := dict "" 1.0 "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024.0 "Mi" 1048576.0 "Gi" 1073741824.0 "Ti" 1099511627776.0 -}}
{{- printf "%f" (mulf (float64 $digits) (get $factors (trimPrefix $digits .))) -}}
{{- end -}}
{{- end -}}

{{/*
The memory in bytes that a component needs by its settings; 0: nothing is known. A sandbox runs one command at least. Node uses half of a container's
memory for objects, where files and conversations are; a conversation takes twice the bytes of its JSON there.
*/}}
{{- define "muster.neededMemory" -}}
{{- $config := .root.Values.config -}}
{{- if eq .name "sessions" -}}
{{- $files := dig "MODEL_FILES_MEMORY_BYTES" 300000000 $config | int64 -}}
{{- $cache := dig "CONVERSATION_CACHE_BYTES" 67108864 $config | int64 -}}
{{- mul 2 (add 200000000 $files (mul 2 $cache)) -}}
{{- else if eq .name "workforce" -}}
{{- add 1073741824 536870912 -}}
{{- else if eq .name "recorder" -}}
{{- add 200000000 (mul 700000000 (get $config "RECORDER_CONCURRENCY" | int64)) -}}
{{- else -}}
0
{{- end -}}
{{- end -}}

{{/* The same as muster.checkComponent. */}}
{{- define "muster.checkResources" -}}
{{- $name := .name -}}
{{- if and (eq $name "recorder") (not (hasKey .root.Values.config "RECORDER_CONCURRENCY")) -}}
{{- fail "config.RECORDER_CONCURRENCY is null. Set it, such as to 1: otherwise a recorder would render a video for each processor of its node, whatever its limits allow." -}}
{{- end -}}
{{- $limits := .values.resources.limits | default dict -}}
{{- range $resource, $request := .values.resources.requests -}}
{{- $limit := get $limits $resource -}}
{{- if and $request $limit (gt (include "muster.number" $request | float64) (include "muster.number" $limit | float64)) -}}
{{- fail (printf "%s.resources.requests.%s (%v) is more than %s.resources.limits.%s (%v)." $name $resource $request $name $resource $limit) -}}
{{- end -}}
{{- end -}}
{{- $needed := include "muster.neededMemory" . | float64 -}}
{{- with $limits.memory -}}
{{- if gt $needed (include "muster.number" . | float64) -}}
{{- $reasons := dict "sessions" "config.MODEL_FILES_MEMORY_BYTES and config.CONVERSATION_CACHE_BYTES" "workforce" "one command of an agent, which uses up to 1 GiB" "recorder" "config.RECORDER_CONCURRENCY" -}}
{{- fail (printf "%s.resources.limits.memory (%v) is too little for %s: it must be at least %.0fMi." $name . (get $reasons $name) (ceil (divf $needed 1048576.0))) -}}
{{- end -}}
{{- end -}}
{{- if eq $name "recorder" -}}
{{- $videos := get .root.Values.config "RECORDER_CONCURRENCY" | int64 -}}
{{- if gt (mul 100000000 $videos | float64) (include "muster.number" .values.tmpSize | float64) -}}
{{- fail (printf "recorder.tmpSize (%v) is too little for config.RECORDER_CONCURRENCY (%d): each video needs 100M." .values.tmpSize $videos) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* (dict "root" $ "name" "auth" "component" {…} "values" {…}) */}}
{{- define "muster.checkComponent" -}}
{{- include "muster.checkResources" . -}}
{{- $name := .name -}}
{{- if and (include "muster.runsPrograms" .) (not .values.computers.image) -}}
{{- fail "workforce.computers.runtime is bubblewrap, so workforce.computers.image must name an image: this one with bubblewrap and the programs of agents (docs/computers.md)." -}}
{{- end -}}
{{- $scaling := .values.autoscaling -}}
{{- if $scaling.enabled -}}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) -}}
{{- fail (printf "%s.autoscaling.minReplicas (%d) is more than %s.autoscaling.maxReplicas (%d)." $name (int $scaling.minReplicas) $name (int $scaling.maxReplicas)) -}}
{{- end -}}
{{- if not (dig "requests" "cpu" "" .values.resources) -}}
{{- fail (printf "%s.autoscaling.enabled needs %s.resources.requests.cpu, which its target is a percentage of." $name $name) -}}
{{- end -}}
{{- if and $scaling.targetOpenStreams (not .root.Values.metrics.enabled) -}}
{{- fail (printf "%s.autoscaling.targetOpenStreams needs metrics.enabled." $name) -}}
{{- end -}}
{{- end -}}
{{- $own := list -}}
{{- range include "muster.environment" . | fromYamlArray }}{{- $own = append $own .name -}}{{- end -}}
{{- range concat .root.Values.pods.extraEnv .values.extraEnv -}}
{{- if has .name $own -}}
{{- fail (printf "extraEnv contains %s, which the chart sets for %s itself. Use the chart's value for it." .name $name) -}}
{{- end -}}
{{- $own = append $own .name -}}
{{- end -}}
{{- end -}}
