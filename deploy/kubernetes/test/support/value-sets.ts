import type { Values } from "./helm.ts";

export const givenSecrets = {
  principalSecret: "0123456789abcdef0123456789abcdef",
  adminKey: "svc_sk_0123456789abcdef0123456789abcdef",
  secretsKey: "0123456789abcdef".repeat(4),
};

const stores = {
  mongodb: { uri: "mongodb://mongodb.data.svc:27017/?replicaSet=rs0" },
  nats: { url: "nats://nats.data.svc:4222" },
};

const autoscaled = { autoscaling: { enabled: true, minReplicas: 3, maxReplicas: 12 } };

/** The values that the chart needs, and nothing else. */
export const minimal: Values = { ...stores, secrets: givenSecrets };

const production: Values = {
  ...minimal,
  image: { digest: `sha256:${"ab".repeat(32)}`, pullSecrets: ["registry"] },
  config: { LOG_LEVEL: "warn", TRUSTED_PROXIES: "10.0.0.0/8", DRAIN_SECONDS: 30 },
  ingress: { enabled: true, host: "muster.example.com", className: "nginx" },
  gateway: autoscaled,
  sessions: autoscaled,
  workforce: autoscaled,
  auth: { replicas: 3 },
  agents: { replicas: 3 },
  pods: { priorityClassName: "important" },
};

const small: Values = {
  ...minimal,
  secrets: { principalSecret: givenSecrets.principalSecret, adminKey: givenSecrets.adminKey },
  files: { enabled: false, persistence: { enabled: false } },
  metrics: { enabled: false },
  networkPolicy: { enabled: false },
  recorder: { enabled: false },
  workforce: { replicas: 1, podDisruptionBudget: { enabled: false } },
};

const existing: Values = {
  mongodb: { existingSecret: { name: "mongodb-muster", key: "connectionString.standardSrv" } },
  secrets: { existingSecret: "muster-secrets" },
  serviceAccount: { create: false, name: "muster" },
  files: { persistence: { existingClaim: "shared" } },
  ingress: {
    enabled: true,
    host: "muster.example.com",
    tls: { secretName: "wildcard" },
    annotations: {
      "cert-manager.io/cluster-issuer": "letsencrypt",
      "nginx.ingress.kubernetes.io/proxy-read-timeout": "7200",
    },
  },
  gateway: {
    autoscaling: { ...autoscaled.autoscaling, targetOpenStreams: 400 },
    service: {
      type: "LoadBalancer",
      loadBalancerClass: "service.k8s.aws/nlb",
      externalTrafficPolicy: "Local",
    },
  },
  sessions: { autoscaling: { ...autoscaled.autoscaling, targetOpenStreams: 100 } },
};

const labels = { team: "platform" };

/** Every switch on, every list and map filled. */
export const everything: Values = {
  ...production,
  secrets: { ...givenSecrets, providerKeys: { ANTHROPIC_API_KEY: "sk-a", OPENAI_API_KEY: "sk-o" } },
  fullnameOverride: "agents-platform",
  clusterDomain: "corp.internal",
  listenAddress: "::",
  commonLabels: labels,
  commonAnnotations: { "example.com/owner": "platform" },
  config: { MODEL_FILES_MEMORY_BYTES: 600_000_000, NODE_USE_ENV_PROXY: 1, BANDWIDTH_FEE_PER_1M: "0.05" },
  metrics: {
    serviceMonitor: { enabled: true, labels: { release: "prometheus" } },
    rules: { enabled: true, labels: { release: "prometheus" } },
    dashboard: { enabled: true },
  },
  httpRoute: {
    enabled: true,
    parentRefs: [{ name: "public", namespace: "gateways" }],
    hostnames: ["muster.example.com"],
  },
  networkPolicy: {
    gatewayFrom: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ingress-nginx" } } }],
    egress: {
      enabled: true,
      other: {
        sessions: [
          {
            to: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "models" } } }],
            ports: [{ port: 8000 }],
          },
        ],
      },
    },
  },
  backup: {
    enabled: true,
    existingClaim: "backups",
    mongodb: { existingSecret: { name: "mongodb-backup" } },
  },
  extraObjects: [
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "{{ .Release.Name }}-ca", namespace: "{{ .Release.Namespace }}" },
      data: { "ca.crt": "-----BEGIN CERTIFICATE-----" },
    },
  ],
  pods: {
    labels: { tier: "backend" },
    annotations: { "example.com/scrape": "no" },
    nodeSelector: { "kubernetes.io/arch": "amd64" },
    tolerations: [{ key: "dedicated", operator: "Equal", value: "muster", effect: "NoSchedule" }],
    hostAliases: [{ ip: "10.0.0.7", hostnames: ["idp.corp.internal"] }],
    dnsConfig: { options: [{ name: "ndots", value: "2" }] },
    podSecurityContext: { supplementalGroups: [5555] },
    initContainers: [
      { name: "warm-up", image: "busybox:1.37", command: ["true"] },
      { name: "mesh", image: "envoy:1.33", restartPolicy: "Always" },
    ],
    extraContainers: [{ name: "log-shipper", image: "vector:0.50" }],
    extraEnv: [{ name: "HTTPS_PROXY", value: "http://proxy.corp.internal:3128" }],
    extraVolumes: [{ name: "authority", configMap: { name: "mongodb-ca" } }],
    extraVolumeMounts: [{ name: "authority", mountPath: "/etc/mongodb-ca", readOnly: true }],
  },
  recorder: {
    ...autoscaled,
    podLabels: { tier: "batch" },
    podAnnotations: { "example.com/slow": "yes" },
    affinity: { podAntiAffinity: {} },
    extraEnv: [{ name: "UV_THREADPOOL_SIZE", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
  },
};

/** Five ways to install Muster. */
export const valueSets: Readonly<Record<string, Values>> = {
  minimal,
  production,
  "small, without files and recorders": small,
  "existing secrets, TLS and custom metrics": existing,
  everything,
};
