import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { Pod } from "kubernetes-models/v1/Pod";
import { Secret } from "kubernetes-models/v1/Secret";
import { Service } from "kubernetes-models/v1/Service";
import { describe, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { chart, parseManifests, release, render, runHelm, type Values } from "./support/helm.ts";
import { asRecord } from "./support/records.ts";
import { ofKind } from "./support/rendered.ts";
import { minimal, valueSets } from "./support/value-sets.ts";

/** The text that helm prints after an installation. */
async function notes(values: Values): Promise<string> {
  const args = ["install", release.name, chart, "--namespace", release.namespace, "--values", "-"];
  const output = await runHelm([...args, "--dry-run=client"], JSON.stringify(values));
  return output.split("NOTES:\n")[1] ?? "";
}

/** Runs the command of the pod of `helm test` against a server with this status. */
async function runTestPod(status: number, giveUpAfterMs?: number) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(status).end('{"status":"not_ready"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const [pod] = ofKind(await render(minimal), Pod);
  const { command = [], args = [], env = [] } = pod?.spec?.containers[0] ?? {};
  assert.deepEqual(
    env.map(({ name }) => name),
    ["GATEWAY_URL"],
  );
  const [program, ...flags] = [...command, ...args];
  assert.equal(program, "node");
  const run = promisify(execFile)(process.execPath, flags, {
    env: {
      GATEWAY_URL: `http://127.0.0.1:${address.port}`,
      ...(giveUpAfterMs !== undefined && { GIVE_UP_AFTER_MS: String(giveUpAfterMs) }),
    },
  });
  return { asked, run };
}

test("the values of smoke.sh are complete, and name the stores that it starts and opens to processes", async () => {
  const read = (name: string) => readFileSync(join(chart, "../smoke", name), "utf8");
  const manifests = await render(asRecord(parse(read("values.yaml"))));
  const stores = ofKind(parseManifests(read("stores.yaml")), Service);
  const reached = stores.map(({ metadata, spec }) => {
    const host = `${metadata?.name}.${metadata?.namespace}.svc.cluster.local`;
    return `${host}:${spec?.ports?.[0]?.port}`;
  });
  const [settings] = ofKind(manifests, Secret);
  const addresses = ["MONGODB_URI", "NATS_URL"].map((name) =>
    Buffer.from(settings?.data?.[name] ?? "", "base64").toString(),
  );
  assert.deepEqual(
    addresses.map((address) => /^[a-z]+:\/\/([^/]+)/.exec(address)?.[1]),
    reached,
  );
  assert.match(JSON.stringify(ofKind(manifests, NetworkPolicy)), /"kubernetes.io\/metadata.name":"data"/);
});

describe("after an installation", () => {
  test("the pod of helm test passes when the gateway and everything behind it is ready", async () => {
    const { asked, run } = await runTestPod(200);
    assert.match((await run).stdout, /is ready/);
    assert.deepEqual(asked, ["/readyz"]);
  });

  test("the pod of helm test fails with the dependencies that are not ready", async () => {
    const { run } = await runTestPod(503, 1_500);
    await assert.rejects(run, /is not ready: \{"status":"not_ready"\}/);
  });

  test("the notes say how to test it, reach it and get the admin key", async () => {
    const text = await notes(minimal);
    assert.match(text, /helm test muster --namespace platform/);
    assert.match(text, /its console at http:\/\/127\.0\.0\.1:8080\/console:/);
    assert.match(text, /port-forward service\/muster-gateway 8080:80/);
    assert.match(
      text,
      /get secret muster-settings --output go-template='\{\{ \.data\.MUSTER_ADMIN_KEY \| base64decode \}\}'/,
    );
    assert.doesNotMatch(text, /WARNING/);
  });

  test("the notes name the public address and warn of the parts that an operator would miss", async () => {
    const existing = await notes(valueSets["existing secrets, TLS and custom metrics"] ?? {});
    assert.match(
      existing,
      /Clients reach it at https:\/\/muster\.example\.com, and users its console at https:\/\/muster\.example\.com\/console\./,
    );
    assert.match(existing, /get secret muster-secrets /);
    assert.match(existing, /WARNING: config\.TRUSTED_PROXIES is not set/);
    assert.doesNotMatch(await notes(valueSets.production ?? {}), /TRUSTED_PROXIES/);
    const small = await notes(valueSets["small, without files and recorders"] ?? {});
    assert.match(small, /WARNING: files\.persistence\.enabled is false/);
    assert.match(
      await notes({ ...minimal, secrets: { generate: true } }),
      /Back up the Secret muster-settings/,
    );
  });
});
