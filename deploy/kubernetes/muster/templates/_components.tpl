{{/*
What each component serves, calls, stores and reads. `folders` are its parts of the shared volume, and `public` the ports of public
addresses that it calls. `settings` are the names of `config` that its process reads; a test
compares them with the processes. `secrets` are those that it cannot start without, `optionalSecrets` the others.
*/}}
{{- define "muster.components" -}}
gateway:
  port: 8080
  calls: [auth, agents, sessions, workforce]
  folders: [files]
  secrets: [MUSTER_PRINCIPAL_SECRET, NATS_URL]
  optionalSecrets: [CONSOLE_OIDC_CLIENT_SECRET, MUSTER_SECRETS_KEY]
  settings:
    - ADDRESS_RATE_LIMIT_PER_MINUTE
    - AUTH_FAILURES_PER_MINUTE
    - BANDWIDTH_FEE_PER_1M
    - CONSOLE_OIDC_CLIENT_ID
    - CONSOLE_OIDC_GRANTS
    - CONSOLE_OIDC_ISSUER
    - CONSOLE_OIDC_SCOPES
    - CORS_ORIGINS
    - DRAIN_SECONDS
    - FILES_KEEP_DAYS
    - FILES_MAX_BYTES
    - FILES_MEDIA_TYPES
    - KEY_RATE_LIMIT_PER_MINUTE
    - MAX_EVENT_LOOP_DELAY_MS
    - MAX_REQUESTS_IN_PROGRESS
    - MODELS_RATE_LIMIT_PER_MINUTE
    - PROJECT_RATE_LIMIT_PER_MINUTE
    - PUBLIC_URL
    - SHUTDOWN_DELAY_SECONDS
    - TRUSTED_PROXIES
auth:
  port: 7001
  calls: []
  public: [443]
  secrets: [MUSTER_PRINCIPAL_SECRET, MONGODB_URI, NATS_URL]
  optionalSecrets: [MUSTER_ADMIN_KEY, MUSTER_SECRETS_KEY]
  settings: [FEDERATION_PRIVATE_ORIGINS, MAX_CONNECTION_AGE_SECONDS, MUSTER_DATABASE_PREFIX]
agents:
  port: 7002
  calls: []
  secrets: [MUSTER_PRINCIPAL_SECRET, MONGODB_URI]
  optionalSecrets: []
  settings: [MAX_CONNECTION_AGE_SECONDS, MUSTER_DATABASE_PREFIX]
sessions:
  port: 7003
  calls: [auth, agents]
  public: [443, 80]
  folders: [files]
  secrets: [MUSTER_PRINCIPAL_SECRET, MONGODB_URI, NATS_URL]
  optionalSecrets:
    - MUSTER_SECRETS_KEY
    - ANTHROPIC_API_KEY
    - GOOGLE_API_KEY
    - LOCAL_API_KEY
    - OPENAI_API_KEY
    - OPENROUTER_API_KEY
    - XAI_API_KEY
  settings:
    - ANTHROPIC_BASE_URL
    - BANDWIDTH_FEE_PER_1M
    - CONVERSATION_CACHE_BYTES
    - CONVERSATION_MAX_BYTES
    - DEMO_WORD_DELAY_MS
    - EXECUTION_LOG
    - EXECUTION_LOG_HOURS
    - EXECUTION_LOG_MAX_BYTES
    - FILES_KEEP_DAYS
    - FILES_MAX_BYTES
    - FILES_MEDIA_TYPES
    - GOOGLE_BASE_URL
    - LOCAL_BASE_URL
    - LOCAL_CONTEXT_TOKENS
    - MAX_CONNECTION_AGE_SECONDS
    - MCP_ALLOWED_HOSTS
    - MODEL_FILES_MEMORY_BYTES
    - MODEL_FIRST_PART_TIMEOUT_MS
    - MODEL_MAX_BYTES_PER_SECOND
    - MODEL_MAX_EVENT_BYTES
    - MODEL_MAX_RESPONSE_BYTES
    - MODEL_STALL_TIMEOUT_MS
    - MUSTER_DATABASE_PREFIX
    - NODE_USE_ENV_PROXY
    - OPENAI_API
    - OPENAI_BASE_URL
    - OPENROUTER_BASE_URL
    - SESSION_TTL_HOURS
    - STREAM_EVENTS_MINUTES
    - TOOL_ALLOWED_HOSTS
    - XAI_BASE_URL
workforce:
  port: 7004
  calls: [auth, agents, sessions]
  public: [443, 80]
  folders: [blobs, files]
  secrets: [MUSTER_PRINCIPAL_SECRET, MONGODB_URI, NATS_URL]
  optionalSecrets: [MUSTER_SECRETS_KEY]
  settings:
    - AUDIT_RETENTION_DAYS
    - FILES_KEEP_DAYS
    - FILES_MAX_BYTES
    - FILES_MEDIA_TYPES
    - MAX_CONNECTION_AGE_SECONDS
    - MUSTER_DATABASE_PREFIX
    - RECORDING_RETENTION_DAYS
    - SANDBOX_ALLOWED_HOSTS
    - SANDBOX_HOME_MIB
    - WEBHOOK_ALLOWED_HOSTS
recorder:
  port: 7005
  calls: [workforce]
  folders: [files/.recordings]
  secrets: [MUSTER_PRINCIPAL_SECRET, NATS_URL]
  optionalSecrets: []
  settings: [MAX_CONNECTION_AGE_SECONDS, RECORDER_CONCURRENCY, RECORDER_PRIORITY, RECORDING_RETENTION_DAYS, RECORDING_THEME]
{{- end -}}

{{/* The same as a JSON object, without the components that this release leaves out. */}}
{{- define "muster.enabledComponents" -}}
{{- $components := include "muster.components" . | fromYaml -}}
{{- if not .Values.recorder.enabled }}{{- $components = omit $components "recorder" -}}{{- end -}}
{{- $components | toJson -}}
{{- end -}}

{{/* The names of the components that call `component`, as a JSON list: (dict "root" $ "component" "auth"). */}}
{{- define "muster.callersOf" -}}
{{- $callers := list -}}
{{- range $name, $caller := include "muster.enabledComponents" .root | fromJson -}}
{{- if has $.component $caller.calls }}{{- $callers = append $callers $name -}}{{- end -}}
{{- end -}}
{{- $callers | toJson -}}
{{- end -}}
