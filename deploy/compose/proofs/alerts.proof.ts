// The scrape configuration, the alert rules and their way to a receiver, in Prometheus' own programs. `npm run test:alerts`
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { freePort, record, temporaryDirectory, until } from "@muster/testing";
import { type TestContext, test } from "vitest";
import { missing } from "./missing.ts";

const folder = resolve(import.meta.dirname, "..");

function run(program: string, debianPackage: string, options: readonly string[], cwd: string): string {
  const { error, status, stdout, stderr } = spawnSync(program, options, { cwd, encoding: "utf8" });
  if (error) throw missing(program, debianPackage);
  assert.equal(status, 0, stdout + stderr);
  return stdout;
}

const checks: Record<string, string[]> = {
  "Prometheus accepts the scrape configuration": ["check", "config", "prometheus.yaml"],
  "the alert rules have no fault that promtool knows": [
    ...["check", "rules", "--lint=all", "--lint-fatal", "muster.rules.yaml"],
  ],
  "each alert fires on the data of its problem, and on no other": ["test", "rules", "muster.rules.test.yaml"],
};

for (const [title, options] of Object.entries(checks)) {
  test(title, () => {
    run("promtool", "prometheus", options, join(folder, "prometheus"));
  });
}

const shipped = readFileSync(join(folder, "alertmanager/alertmanager.yaml"), "utf8");
const notifiers = ["slack_configs", "email_configs", "webhook_configs"] as const;

/** The shipped configuration, without the comments of one notifier. */
function configWith(notifier: (typeof notifiers)[number]): string {
  const prepared = new RegExp(`# ${notifier}:\\n(?: +# {3,}.*\\n)+`).exec(shipped)?.[0];
  assert.ok(prepared, notifier);
  return shipped.replace(prepared, prepared.replaceAll("# ", "  ").replace(/^ {2}/, ""));
}

/** Alertmanager with this configuration. */
async function startAlertmanager(t: TestContext, config: string): Promise<{ url: string }> {
  const directory = await temporaryDirectory(t);
  const address = `127.0.0.1:${await freePort()}`;
  await writeFile(join(directory, "alertmanager.yaml"), config);
  const child = spawn(
    "prometheus-alertmanager",
    [
      `--config.file=${join(directory, "alertmanager.yaml")}`,
      `--storage.path=${join(directory, "data")}`,
      ...[`--web.listen-address=${address}`, "--cluster.listen-address="],
    ],
    { stdio: "ignore" },
  );
  const ended = once(child, "close");
  t.onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  await once(child, "spawn").catch(() => {
    throw missing("prometheus-alertmanager", "prometheus-alertmanager");
  });
  const url = `http://${address}`;
  await until("Alertmanager is ready", () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return { url };
}

test("Alertmanager accepts the shipped configuration, and that with each notifier that is prepared in it", async (t) => {
  const directory = await temporaryDirectory(t);
  const configs = { shipped, ...Object.fromEntries(notifiers.map((name) => [name, configWith(name)])) };
  for (const [name, config] of Object.entries(configs)) {
    await writeFile(join(directory, `${name}.yaml`), config);
    const report = run("amtool", "prometheus-alertmanager", ["check-config", `${name}.yaml`], directory);
    assert.match(report, /1 receivers/);
    if (name !== "shipped") assert.match(config, new RegExp(`^ {4}${name}:$`, "m"));
  }
});

test("an alert reaches the webhook that an operator has set, with its labels", async (t) => {
  const received: string[] = [];
  const server = createServer(async (request, response) => {
    received.push(await text(request));
    response.end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  const port = typeof address === "object" ? address?.port : 0;
  const config = configWith("webhook_configs").replace(/- url: .*/, `- url: http://127.0.0.1:${port}/`);
  // Alertmanager waits for half a minute, by default, for more alerts of a group.
  const { url } = await startAlertmanager(t, config.replace("group_by:", "group_wait: 0s\n  group_by:"));
  const alert = ["alert", "add", "MusterStoreErrors", "severity=critical", "job=muster-auth"];
  run("amtool", "prometheus-alertmanager", ["--alertmanager.url", url, ...alert], folder);
  await until("the webhook is called", () => received.length > 0, 20_000);
  const { status, receiver, commonLabels } = record(JSON.parse(received[0] ?? ""));
  assert.deepEqual([status, receiver], ["firing", "operators"]);
  assert.deepEqual(commonLabels, {
    alertname: "MusterStoreErrors",
    ...{ severity: "critical", job: "muster-auth" },
  });
});
