import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { renderText, type Values } from "./support/helm.ts";
import { asRecord, merged } from "./support/records.ts";
import { everything, givenSecrets, minimal } from "./support/value-sets.ts";

const { principalSecret, adminKey } = givenSecrets;
const scaling = { enabled: true, minReplicas: 2, maxReplicas: 4 };

/** Values that contradict each other, over the minimal ones, and what the sentence names. */
const conflicts: ReadonlyArray<[what: string, values: Values, sentence: RegExp]> = [
  ["no store", { mongodb: {} }, /MONGODB_URI is missing\. Set mongodb\.uri/],
  ["no bus", { nats: {} }, /NATS_URL is missing\. Set nats\.url/],
  ["no secrets", { secrets: {} }, /MUSTER_[A-Z_]+ is missing\. Set secrets\.existingSecret/],
  ["no admin key", { secrets: { principalSecret } }, /MUSTER_ADMIN_KEY is missing.*secrets\.adminKey/],
  ["no principal secret", { secrets: { adminKey } }, /MUSTER_PRINCIPAL_SECRET is missing/],
  ["another database", { mongodb: { uri: "postgres://a:hush@b" } }, /mongodb\.uri must look like mongodb:/],
  ["another bus", { nats: { url: "nats://a:4222, http://hush@b" } }, /nats\.url must look like nats:/],
  [
    "a short principal secret",
    { secrets: { ...givenSecrets, principalSecret: "hush" } },
    /secrets\.principalSecret must have at least 32 characters/,
  ],
  ...[`${principalSecret},hush`, `hush, ${principalSecret}`, `${principalSecret},`].map(
    (list): (typeof conflicts)[number] => [
      `a short principal secret among several: ${list.replace(principalSecret, "…")}`,
      { secrets: { ...givenSecrets, principalSecret: list } },
      /secrets\.principalSecret must have at least 32 characters.*separated by commas/,
    ],
  ),
  [
    "a weak admin key",
    { secrets: { ...givenSecrets, adminKey: "svc_sk_hush" } },
    /secrets\.adminKey must be svc_sk_ followed by/,
  ],
  [
    "a short key among several",
    { secrets: { ...givenSecrets, secretsKey: `${givenSecrets.secretsKey},hush` } },
    /secrets\.secretsKey must have at least 32/,
  ],
  [
    "two sources of secrets",
    { secrets: { existingSecret: "mine", adminKey, providerKeys: { XAI_API_KEY: "k" } } },
    /secrets\.existingSecret and secrets\.adminKey, secrets\.providerKeys\.XAI_API_KEY are both set/,
  ],
  [
    "an existing Secret and generated secrets",
    { secrets: { existingSecret: "mine", generate: true } },
    /secrets\.existingSecret and secrets\.generate are both set/,
  ],
  [
    "two sources of MongoDB's URI",
    { mongodb: { uri: "mongodb://a", existingSecret: { name: "b" } } },
    /mongodb\.uri and mongodb\.existingSecret\.name are both set/,
  ],
  [
    "two sources of the URL of NATS",
    { nats: { url: "nats://a:4222", existingSecret: { name: "b" } } },
    /nats\.url and nats\.existingSecret\.name are both set/,
  ],
  [
    "fewer instances at most than at least",
    { sessions: { autoscaling: { ...scaling, minReplicas: 5 } } },
    /sessions\.autoscaling\.minReplicas \(5\) is more than sessions\.autoscaling\.maxReplicas \(4\)/,
  ],
  [
    "automatic scaling without a request of CPU",
    { auth: { autoscaling: scaling, resources: { requests: { cpu: null } } } },
    /auth\.autoscaling\.enabled needs auth\.resources\.requests\.cpu/,
  ],
  [
    "more requested than allowed",
    { auth: { resources: { requests: { cpu: "600m" }, limits: { cpu: 0.5 } } } },
    /auth\.resources\.requests\.cpu \(600m\) is more than auth\.resources\.limits\.cpu \(0\.5\)/,
  ],
  [
    "less memory than the files of models may take",
    { config: { MODEL_FILES_MEMORY_BYTES: 1_200_000_000 } },
    /sessions\.resources\.limits\.memory \(2Gi\) is too little for config\.MODEL_FILES_MEMORY_BYTES .* at least 2927Mi/,
  ],
  [
    "less memory than one command of an agent may take",
    { workforce: { resources: { limits: { memory: "1G" } } } },
    /workforce\.resources\.limits\.memory \(1G\) is too little for one command .* at least 1536Mi/,
  ],
  [
    "less memory than the videos at a time may take",
    { config: { RECORDER_CONCURRENCY: 3 } },
    /recorder\.resources\.limits\.memory \(1536Mi\) is too little for config\.RECORDER_CONCURRENCY/,
  ],
  [
    "less room than the videos at a time need",
    { config: { RECORDER_CONCURRENCY: 2 }, recorder: { tmpSize: "100Mi" } },
    /recorder\.tmpSize \(100Mi\) is too little for config\.RECORDER_CONCURRENCY \(2\): each video needs 100M/,
  ],
  [
    "scaling by streams without metrics",
    { metrics: { enabled: false }, gateway: { autoscaling: { ...scaling, targetOpenStreams: 5 } } },
    /gateway\.autoscaling\.targetOpenStreams needs metrics\.enabled/,
  ],
  ["recorders without files", { files: { enabled: false } }, /recorder\.enabled needs files\.enabled/],
  [
    "files without a key",
    { secrets: { principalSecret, adminKey } },
    /files\.enabled needs MUSTER_SECRETS_KEY/,
  ],
  [
    "files without a volume",
    { files: { persistence: { enabled: false } } },
    /files\.enabled needs files\.persistence\.enabled/,
  ],
  [
    "a claim that is not used",
    {
      recorder: { enabled: false },
      files: { enabled: false, persistence: { enabled: false, existingClaim: "mine" } },
    },
    /files\.persistence\.existingClaim is set, but/,
  ],
  [
    "as many videos as the node has processors",
    { config: { RECORDER_CONCURRENCY: null } },
    /config\.RECORDER_CONCURRENCY is null\. Set it/,
  ],
  [
    "two instances with computers of their own",
    { recorder: { enabled: false }, files: { enabled: false, persistence: { enabled: false } } },
    /Several workforce instances need files\.persistence\.enabled/,
  ],
  ["an Ingress without a host", { ingress: { enabled: true } }, /ingress\.enabled needs ingress\.host/],
  [
    "a route without a Gateway",
    { httpRoute: { enabled: true } },
    /httpRoute\.enabled needs httpRoute\.parentRefs/,
  ],
  ["no service account", { serviceAccount: { create: false } }, /serviceAccount\.name must name an existing/],
  [
    "a ServiceMonitor without metrics",
    { metrics: { enabled: false, serviceMonitor: { enabled: true } } },
    /metrics\.serviceMonitor\.enabled needs metrics\.enabled/,
  ],
  [
    "alerts without metrics",
    { metrics: { enabled: false, rules: { enabled: true } } },
    /metrics\.rules\.enabled needs metrics\.enabled/,
  ],
  [
    "a class of load balancers for another type of Service",
    { gateway: { service: { loadBalancerClass: "service.k8s.aws/nlb" } } },
    /gateway\.service\.loadBalancerClass needs gateway\.service\.type LoadBalancer, not ClusterIP/,
  ],
  [
    "a policy for traffic that a Service of the cluster never gets",
    { gateway: { service: { externalTrafficPolicy: "Local" } } },
    /gateway\.service\.externalTrafficPolicy needs gateway\.service\.type LoadBalancer or NodePort/,
  ],
  ["a backup without a volume", { backup: { enabled: true } }, /backup\.enabled needs backup\.existingClaim/],
  [
    "a backup on the volume that it copies",
    { backup: { enabled: true, existingClaim: "muster-files" } },
    /backup\.existingClaim is muster-files, the claim of the files themselves/,
  ],
  [
    "real programs without an image that has them",
    { workforce: { computers: { runtime: "bubblewrap" } } },
    /workforce\.computers\.image must name an image/,
  ],
  [
    "a variable that the chart sets",
    { sessions: { extraEnv: [{ name: "SESSIONS_PORT", value: "9" }] } },
    /extraEnv contains SESSIONS_PORT, which the chart sets for sessions itself/,
  ],
  [
    "a variable that is set twice",
    {
      pods: { extraEnv: [{ name: "TZ", value: "UTC" }] },
      auth: { extraEnv: [{ name: "TZ", value: "Europe/Berlin" }] },
    },
    /extraEnv contains TZ/,
  ],
];

/** Values that the schema refuses, and the path that it names. */
const invalid: ReadonlyArray<[values: Values, path: string]> = [
  [{ gatway: {} }, "at ''"],
  [{ gateway: { replica: 2 } }, "at '/gateway'"],
  [{ gateway: { replicas: "2" } }, "at '/gateway/replicas'"],
  ...["gateway", "auth", "agents", "sessions", "workforce", "recorder"].map((name): [Values, string] => [
    { [name]: { replicas: 0 } },
    `at '/${name}/replicas': minimum: got 0, want 1`,
  ]),
  [{ pods: { extraContainers: [{ name: "a" }] } }, "at '/pods/extraContainers/0'"],
  [{ extraObjects: [{ kind: "ConfigMap" }] }, "at '/extraObjects/0'"],
  [{ backup: { schedule: "daily" } }, "at '/backup/schedule'"],
  [{ auth: { autoscaling: { ...scaling, targetOpenStreams: 5 } } }, "at '/auth/autoscaling'"],
  [{ auth: { podDisruptionBudget: { enabled: true, maxUnavailable: 0 } } }, "at '/auth/podDisruptionBudget"],
  [{ auth: { resources: { requests: { memory: "lots" } } } }, "at '/auth/resources/requests/memory'"],
  [{ auth: { tmpSize: "0" } }, "at '/auth/tmpSize'"],
  [{ secrets: { ...givenSecrets, providerKeys: { OPENAI_KEY: "k" } } }, "at '/secrets/providerKeys'"],
  [{ workforce: { computers: { runtime: "docker" } } }, "at '/workforce/computers/runtime'"],
  [{ config: { SESSION_TTL: 1 } }, "at '/config'"],
  [{ config: { MONGODB_URI: "mongodb://a" } }, "at '/config'"],
  [{ config: { SESSION_TTL_HOURS: "24" } }, "at '/config/SESSION_TTL_HOURS'"],
  [{ config: { SESSION_TTL_HOURS: 1.5 } }, "at '/config/SESSION_TTL_HOURS'"],
  [{ config: { EXECUTION_LOG: false } }, "at '/config/EXECUTION_LOG'"],
  [{ config: { PUBLIC_URL: "muster.example.com" } }, "at '/config/PUBLIC_URL'"],
  [{ config: { CORS_ORIGINS: "*" } }, "at '/config/CORS_ORIGINS'"],
  [{ metrics: { port: 7003 } }, "at '/metrics/port'"],
  [{ ingress: { enabled: true, host: "https://muster.example.com" } }, "at '/ingress/host'"],
  [{ ingress: { bodySize: "11MB" } }, "at '/ingress/bodySize'"],
  [{ files: { persistence: { accessMode: "ReadOnlyMany" } } }, "at '/files/persistence/accessMode'"],
  [{ files: { persistence: { size: "20" } } }, "at '/files/persistence/size'"],
  [{ networkPolicy: { metricsFrom: [] } }, "at '/networkPolicy/metricsFrom'"],
  [
    { networkPolicy: { gatewayFrom: [{ ipBlock: { cidr: "10.0.0.1" } }] } },
    "at '/networkPolicy/gatewayFrom/0",
  ],
  [{ image: { digest: "sha256:abc" } }, "at '/image/digest'"],
  [{ image: { pullPolicy: "always" } }, "at '/image/pullPolicy'"],
  [{ commonLabels: { "app.kubernetes.io/name": "other" } }, "invalid propertyName 'app.kubernetes.io/name'"],
  [{ commonLabels: { team: "a b" } }, "at '/commonLabels/team'"],
  [{ commonAnnotations: { "helm.sh/hook": "test" } }, "invalid propertyName 'helm.sh/hook'"],
  [{ fullnameOverride: "A" }, "at '/fullnameOverride'"],
  [{ pods: { extraEnv: [{ name: "A" }] } }, "at '/pods/extraEnv/0'"],
  [{ pods: { extraVolumes: [{ name: "data", emptyDir: {} }] } }, "at '/pods/extraVolumes/0/name'"],
  [{ pods: { preStopSeconds: 600 } }, "at '/pods/preStopSeconds'"],
];

const refusals = new Map<Values, Promise<string>>();

/** Helm's error for these values over the minimal ones. */
function refusalOf(values: Values): Promise<string> {
  const known = refusals.get(values) ?? refuse(values);
  refusals.set(values, known);
  return known;
}

async function refuse(values: Values): Promise<string> {
  const error: unknown = await renderText({ ...minimal, ...values }).then(
    () => assert.fail("helm accepted the values"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Error);
  return error.message;
}

/** The schema reports everything at once, so values that it refuses in different places share one run of helm. */
function groupsOf(cases: typeof invalid): Array<{ values: Values; paths: string[] }> {
  const groups: Array<{ values: Values; paths: string[] }> = [];
  for (const [values, path] of cases) {
    const free = groups.find(({ paths }) => paths.every((other) => !overlaps(other, path)));
    if (free === undefined) groups.push({ values, paths: [path] });
    else {
      free.values = asRecord(merged(free.values, values));
      free.paths.push(path);
    }
  }
  return groups;
}

const pathIn = (text: string) => text.replaceAll(/^at '|'$/g, "");
const overlaps = (one: string, other: string) =>
  pathIn(one).startsWith(pathIn(other)) || pathIn(other).startsWith(pathIn(one));

describe("values that no cluster could run", () => {
  for (const [what, values, sentence] of conflicts) {
    test(`helm refuses ${what} with one sentence that names the values`, async () => {
      assert.match(await refusalOf(values), sentence);
    });
  }

  for (const { values, paths } of groupsOf(invalid)) {
    for (const path of paths) {
      test(`the schema refuses a value ${path} of ${JSON.stringify(values).slice(0, 60)}`, async () => {
        const message = await refusalOf(values);
        assert.match(message, /don't meet the specifications of the schema/);
        assert.ok(message.includes(path), message);
      });
    }
  }

  test("no refusal repeats a secret", async () => {
    const messages = await Promise.all(conflicts.map(([, values]) => refusalOf(values)));
    for (const secret of ["hush", ...Object.values(givenSecrets)])
      assert.deepEqual(
        messages.filter((message) => message.includes(secret)),
        [],
      );
  });

  test("names stay within what Kubernetes accepts, however long the name of the release is", async () => {
    const text = await renderText(
      { ...everything, fullnameOverride: "" },
      { name: `r${"0123456789".repeat(5)}`.slice(0, 53), namespace: "platform" },
    );
    const names = [...text.matchAll(/^ {2}name: (\S+)$/gm)].map(([, name = ""]) => name);
    assert.ok(names.length > 20);
    assert.deepEqual(
      names.filter((name) => name.length > 63),
      [],
    );
  });
});
