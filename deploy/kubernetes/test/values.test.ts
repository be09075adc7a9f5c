import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, test } from "vitest";
import { parse } from "yaml";
import { chart, type Manifest, render, renderText, type Values } from "./support/helm.ts";
import { asRecord, isRecord, merged } from "./support/records.ts";
import { componentLabel } from "./support/rendered.ts";
import { everything } from "./support/value-sets.ts";

type Path = readonly string[];

/** A value of its own for each leaf, which can be found in what it is rendered to; by the end of the leaf's path. */
const marks: ReadonlyArray<[end: RegExp, mark: (id: number) => unknown]> = [
  [/adminKey$/, (id) => `svc_sk_${String(id).padStart(40, "x")}`],
  [/(?:principalSecret|secretsKey)$/, (id) => String(id).padStart(40, "x")],
  [/providerKeys$/, (id) => ({ XAI_API_KEY: `key-${id}` })],
  [/mongodb\.uri$/, (id) => `mongodb://m${id}`],
  [/nats\.url$/, (id) => `nats://n${id}:4222`],
  [/digest$/, (id) => `sha256:${String(id).padStart(64, "0")}`],
  [/pullSecrets$/, (id) => [`p${id}`]],
  [/hostnames$/, (id) => [`h${id}.example.com`]],
  [/parentRefs$/, (id) => [{ name: `gateway-${id}` }]],
  [/bodySize$/, (id) => `${id}m`],
  [/interval$/, (id) => `${id}s`],
  [/persistence\.size$/, (id) => `${id}Mi`],
  // More than the settings of the other marks need.
  [/(?:tmpSize|homesSize|\.memory)$/, (id) => `${id}000Mi`],
  [/\.cpu$/, (id) => `${id}m`],
  [/(?:From|dnsTo|publicTo)$/, (id) => [{ namespaceSelector: { matchLabels: { name: `n${id}` } } }]],
  [/egress\.(?:mongodb|nats)$/, (id) => ({ ports: [{ port: id }] })],
  [/egress\.other$/, (id) => ({ sessions: [{ ports: [{ port: id }] }] })],
  [/extraObjects$/, (id) => [{ metadata: { name: `o${id}` }, apiVersion: "v1", kind: "ConfigMap" }]],
  [/(?:seccomp|appArmor)Profile$/, (id) => ({ localhostProfile: `l${id}`, type: "Localhost" })],
  [/backup\.schedule$/, (id) => `${id} * * * *`],
  [/hostAliases$/, (id) => [{ hostnames: [`a${id}.internal`], ip: "10.0.0.7" }]],
  [/(?:initContainers|extraContainers)$/, (id) => [{ name: `c${id}`, image: "busybox" }]],
  [/tolerations$/, (id) => [{ key: `t${id}`, operator: "Exists" }]],
  [/topologySpread$/, (id) => [{ topologyKey: `k${id}`, maxSkew: 1, whenUnsatisfiable: "DoNotSchedule" }]],
  [/affinity$/, (id) => ({ nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { id } } })],
  [/extraEnv$/, (id) => [{ name: `E${id}`, value: "x" }]],
  [/extraVolumes$/, (id) => [{ name: `v${id}`, emptyDir: {} }]],
  [/extraVolumeMounts$/, (id) => [{ mountPath: `/v${id}`, name: "tmp" }]],
  [/preStopSeconds$/, () => 79],
  [/minReadySeconds$/, () => 71],
  [/revisionHistoryLimit$/, () => 83],
  [/RECORDER_CONCURRENCY$/, () => 59],
];

/** Parts of the defaults that a user replaces as a whole. */
const whole =
  /^networkPolicy\.egress\.(?:mongodb|nats|other)$|^metrics\.dashboard\.labels$|(?:seccomp|appArmor)Profile$/;
const choices: Readonly<Record<string, string>> = {
  "config.RECORDER_PRIORITY": "low",
  "files.persistence.accessMode": "ReadWriteOnce",
  "gateway.service.externalTrafficPolicy": "Local",
  "gateway.service.type": "NodePort",
  "image.pullPolicy": "Always",
  listenAddress: "0.0.0.0",
  "workforce.computers.runtime": "bubblewrap",
};

const components = ["gateway", "auth", "agents", "sessions", "workforce", "recorder"];
const autoscaled = (enabled: boolean): Values =>
  Object.fromEntries(components.map((name) => [name, { autoscaling: { enabled } }]));

/** Everything that is off by default, on. */
const on: Values = {
  backup: { enabled: true },
  gateway: { service: { type: "LoadBalancer" } },
  httpRoute: { enabled: true },
  ingress: { enabled: true },
  metrics: { serviceMonitor: { enabled: true }, rules: { enabled: true }, dashboard: { enabled: true } },
  networkPolicy: { egress: { enabled: true } },
  workforce: { computers: { runtime: "bubblewrap" } },
};

/** Some values exclude or override each other, so each world leaves some of them out. */
const worlds: ReadonlyArray<{ base: Values; without: RegExp }> = [
  { base: autoscaled(true), without: /existingSecret(?:\.name)?$|persistence\.existingClaim$/ },
  {
    base: autoscaled(false),
    without:
      /^secrets\.(?!existing)|^(?:mongodb\.uri|nats\.url|image\.digest)$|^(?!pods)\w+\.(?:priorityClassName|nodeSelector|tolerations)$/,
  },
];

const small = { recorder: { enabled: false }, files: { enabled: false } };

/** Values without which a switch has no effect, or cannot be turned off. */
const besides: ReadonlyArray<[name: string, values: Values]> = [
  ["gateway.service.externalTrafficPolicy", { gateway: { service: { type: "LoadBalancer" } } }],
  ["files.enabled", { recorder: { enabled: false } }],
  ["files.persistence.enabled", { ...small, workforce: { replicas: 1, autoscaling: { enabled: false } } }],
  [
    "metrics.enabled",
    {
      metrics: {
        serviceMonitor: { enabled: false },
        rules: { enabled: false },
        dashboard: { enabled: false },
      },
    },
  ],
  ["secrets.generate", { ...small, secrets: { secretsKey: "" } }],
  ["workforce.computers.runtime", { workforce: { computers: { image: "programs:1" } } }],
  ["serviceAccount.create", { serviceAccount: { name: "other" } }],
];

function leavesOf(value: unknown, path: Path = []): Array<{ path: Path; name: string; value: unknown }> {
  const name = path.join(".");
  if (!isRecord(value) || Object.keys(value).length === 0 || whole.test(name)) return [{ path, name, value }];
  return Object.entries(value).flatMap(([key, child]) => leavesOf(child, [...path, key]));
}

function markOf(name: string, value: unknown, id: number): unknown {
  const rule = marks.find(([end]) => end.test(name));
  if (rule) return rule[1](id);
  if (typeof value === "number") return id;
  return isRecord(value) ? { [`key-${id}`]: `mark-${id}` } : `mark-${id}`;
}

/** The part of a mark that identifies it in the output. */
function textOf(mark: unknown): string {
  if (Array.isArray(mark)) return textOf(mark[0]);
  return isRecord(mark) ? textOf(Object.values(mark)[0]) : String(mark);
}

const at = (path: Path, value: unknown): unknown =>
  path.reduceRight((child, key) => ({ [key]: child }), value);

const defaults: unknown = parse(readFileSync(join(chart, "values.yaml"), "utf8"));
const leaves = leavesOf(defaults);
const switches = leaves.filter(({ name, value }) => typeof value === "boolean" || name in choices);
const marked = leaves
  .filter((leaf) => !switches.includes(leaf))
  .map((leaf, index) => ({ ...leaf, mark: markOf(leaf.name, leaf.value, 501 + index) }));

describe("the values of the chart", () => {
  let outputs: string[];
  let plain: string;
  beforeAll(async () => {
    plain = await renderText(everything);
    outputs = await Promise.all(
      worlds.map(({ base, without }) => {
        const used = marked.filter(({ name }) => !without.test(name));
        const values = used.map(({ path, mark }) => at(path, mark)).reduce(merged, merged(on, base));
        return renderText(asRecord(values));
      }),
    );
  });

  test("each of them is used: its mark is in what Kubernetes gets", () => {
    assert.ok(marked.length > 150);
    const unused = marked.filter(({ mark }) => {
      const text = textOf(mark);
      const encoded = Buffer.from(text).toString("base64");
      const pattern = new RegExp(`(?<!\\w)${text.replaceAll(/\W/g, "\\$&")}(?!\\w)`);
      assert.ok(!pattern.test(plain), `${text} proves nothing`);
      return !outputs.some((output) => pattern.test(output) || output.includes(encoded));
    });
    assert.deepEqual(
      unused.map(({ name }) => name),
      [],
    );
  });

  for (const end of ["autoscaling.enabled", "podDisruptionBudget.enabled"]) {
    test(`the switch ${end} of each component changes what Kubernetes gets for this component`, async () => {
      const paths = switches.filter(({ name }) => name.endsWith(`.${end}`)).map(({ path }) => path);
      assert.equal(paths.length, components.length);
      const [off, on] = await Promise.all(
        [false, true].map((setting) =>
          render(asRecord(paths.map((path) => at(path, setting)).reduce(merged, everything))),
        ),
      );
      for (const component of components) {
        const own = (manifests: readonly Manifest[] = []) =>
          manifests.filter(({ metadata }) => metadata.labels?.[componentLabel] === component);
        assert.notDeepEqual(own(off), own(on), component);
      }
    });
  }

  for (const { path, name, value } of switches) {
    if (/\.(?:autoscaling|podDisruptionBudget)\.enabled$/.test(name)) continue;
    test(`the switch ${name} changes what Kubernetes gets`, async () => {
      const [, base] = besides.find(([switchName]) => switchName === name) ?? [];
      const current = merged(everything, base);
      const now =
        path.reduce((parent, key) => (isRecord(parent) ? parent[key] : undefined), current) ?? value;
      const other = typeof now === "boolean" ? !now : choices[name];
      assert.notEqual(other, now);
      const first = base ? await renderText(asRecord(current)) : plain;
      const second = await renderText(asRecord(merged(current, at(path, other))));
      assert.notEqual(first, second);
    });
  }
});
