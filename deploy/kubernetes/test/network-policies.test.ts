import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type INetworkPolicy, NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { describe, test } from "vitest";
import { type Manifest, render } from "./support/helm.ts";
import { componentLabel, componentNames, componentsOf, ofKind } from "./support/rendered.ts";
import { everything, minimal } from "./support/value-sets.ts";

/** `caller -> callee` for each call that the diagram of docs/running.md draws between Muster's own processes. */
function documentedCalls(): string[] {
  const page = readFileSync(resolve(import.meta.dirname, "../../../docs/running.md"), "utf8");
  const [, diagram = ""] = /## A process for each service\n[\s\S]*?```\n([\s\S]*?)```/.exec(page) ?? [];
  return diagram.split("\n").flatMap((line) => {
    const [, caller, callees = ""] = /^(\w+)[ a-z()]*-*gRPC-*> (.*)$/.exec(line) ?? [];
    return componentNames.filter((name) => callees.includes(name)).map((callee) => `${caller} -> ${callee}`);
  });
}

function policyOf(manifests: readonly Manifest[], component: string): INetworkPolicy | undefined {
  return ofKind(manifests, NetworkPolicy).find(
    ({ spec }) => spec?.podSelector?.matchLabels?.[componentLabel] === component,
  );
}

/** The port that a component's callers use, as the number that every network plugin understands. */
const portOf = (manifests: readonly Manifest[], component: string | undefined) =>
  componentsOf(manifests).find(({ name }) => name === component)?.container.ports?.[0]?.containerPort;
const metricsPort = 9464;
type Peers = ReadonlyArray<{ podSelector?: { matchLabels?: Record<string, string> } }> | undefined;
const componentsIn = (peers: Peers) =>
  (peers ?? []).map(({ podSelector }) => podSelector?.matchLabels?.[componentLabel]);

describe("network policies", () => {
  test("exactly the calls that docs/running.md draws are allowed in", async () => {
    const manifests = await render(minimal);
    const allowed = componentsOf(manifests).flatMap(({ name }) => {
      if (name === "gateway") return [];
      const rules = policyOf(manifests, name)?.spec?.ingress ?? [];
      const calls = rules.filter(({ ports }) => ports?.[0]?.port === portOf(manifests, name));
      return calls.flatMap(({ from }) => componentsIn(from).map((caller) => `${caller} -> ${name}`));
    });
    assert.ok(allowed.length >= 10);
    assert.deepEqual(allowed.sort(), documentedCalls().sort());
  });

  test("with egress rules, exactly the same calls are allowed out", async () => {
    const manifests = await render(everything);
    const allowed = componentsOf(manifests).flatMap(({ name }) => {
      const rules = policyOf(manifests, name)?.spec?.egress ?? [];
      const calls = rules.flatMap(({ to, ports }) => componentsIn(to).map((callee) => ({ callee, ports })));
      const known = calls.filter(({ callee }) => callee !== undefined);
      for (const { callee, ports } of known) assert.deepEqual(ports, [{ port: portOf(manifests, callee) }]);
      return known.map(({ callee }) => `${name} -> ${callee}`);
    });
    assert.deepEqual(allowed.sort(), documentedCalls().sort());
  });

  test("nothing else is allowed in: every pod of the release is denied what no rule allows", async () => {
    const manifests = await render(minimal);
    const policies = ofKind(manifests, NetworkPolicy);
    const deny = policies.find(({ metadata }) => metadata?.name === "muster-deny");
    assert.deepEqual(deny?.spec?.policyTypes, ["Ingress"]);
    assert.equal(deny.spec.ingress, undefined);
    for (const { podLabels } of componentsOf(manifests))
      assert.deepEqual(podLabels, { ...podLabels, ...deny.spec.podSelector?.matchLabels });
    for (const { spec } of policies)
      for (const { ports } of spec?.ingress ?? [])
        assert.equal(ports?.length, 1, "a rule without ports opens all");
  });

  test("only the gateway can be reached without a rule for its callers, and metrics have a rule of their own", async () => {
    const manifests = await render(minimal);
    for (const { name } of componentsOf(manifests)) {
      const rules = policyOf(manifests, name)?.spec?.ingress ?? [];
      const open = rules.filter(({ from }) => from === undefined).flatMap(({ ports }) => ports ?? []);
      assert.deepEqual(open, name === "gateway" ? [{ port: portOf(manifests, name) }] : []);
      const metrics = rules.find(({ ports }) => ports?.[0]?.port === metricsPort);
      assert.deepEqual(metrics?.from, [{ namespaceSelector: {} }]);
    }
  });

  test("a gateway that only some may call still accepts the pod of helm test", async () => {
    const manifests = await render(everything);
    const [rule] = policyOf(manifests, "gateway")?.spec?.ingress ?? [];
    assert.ok(componentsIn(rule?.from).includes("test"));
    const test = manifests.find(({ metadata }) => metadata.annotations?.["helm.sh/hook"] === "test");
    assert.equal(test?.metadata.labels?.[componentLabel], "test");
  });

  test("with egress rules, every component can resolve names, also where the pods of the DNS listen on 5353", async () => {
    const manifests = await render(everything);
    for (const { name } of componentsOf(manifests)) {
      const [dns] = policyOf(manifests, name)?.spec?.egress ?? [];
      const ports = dns?.ports?.map(({ port, protocol }) => `${port} ${protocol}`);
      assert.deepEqual(ports, ["53 UDP", "53 TCP", "5353 UDP", "5353 TCP"], name);
      assert.equal(dns?.to?.length, 1, name);
    }
  });

  test("with egress rules, only auth, sessions and workforce reach public addresses, over IPv4 and IPv6, and no private ones", async () => {
    const manifests = await render(everything);
    for (const { name } of componentsOf(manifests)) {
      const rules = policyOf(manifests, name)?.spec?.egress ?? [];
      const open = rules.find(({ to }) => to?.some(({ ipBlock }) => ipBlock));
      const ports = { auth: [443], sessions: [443, 80], workforce: [443, 80] }[String(name)];
      assert.deepEqual(
        open?.ports?.map(({ port }) => port),
        ports,
        name,
      );
      if (ports === undefined) continue;
      assert.deepEqual(
        open?.to?.map(({ ipBlock }) => [ipBlock?.cidr, ipBlock?.except?.length]),
        [
          ["0.0.0.0/0", 5],
          ["::/0", 2],
        ],
      );
    }
  });

  test("a rule for models in the cluster adds to those of sessions, and replaces none", async () => {
    const rules = policyOf(await render(everything), "sessions")?.spec?.egress ?? [];
    assert.deepEqual(rules.at(-1)?.ports, [{ port: 8000 }]);
    assert.ok(rules.some(({ to }) => to?.some(({ ipBlock }) => ipBlock?.cidr === "::/0")));
  });

  test("with egress rules, a backup reaches the DNS and MongoDB alone", async () => {
    const policy = policyOf(await render(everything), "backup");
    assert.deepEqual(policy?.spec?.policyTypes, ["Egress"]);
    assert.deepEqual(
      policy.spec.egress?.map(({ ports }) => ports?.[0]?.port),
      [53, 27_017],
    );
  });

  test("with egress rules, a component reaches MongoDB and NATS only if it uses them", async () => {
    const manifests = await render(everything);
    for (const { name, container } of componentsOf(manifests)) {
      const ports = (policyOf(manifests, name)?.spec?.egress ?? []).flatMap((rule) => rule.ports ?? []);
      const uses = (variable: string) => container.env?.some((entry) => entry.name === variable) ?? false;
      assert.equal(
        ports.some(({ port }) => port === 27_017),
        uses("MONGODB_URI"),
        name,
      );
      assert.equal(
        ports.some(({ port }) => port === 4222),
        uses("NATS_URL"),
        name,
      );
    }
  });
});
