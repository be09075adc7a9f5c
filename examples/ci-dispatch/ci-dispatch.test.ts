import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { startTestServer, type TestServer } from "@muster/local/testing/server";
import { startProxy, temporaryDirectory } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { parse } from "yaml";

const program = join(import.meta.dirname, "dispatch.mjs");

interface Setup {
  args?: readonly string[];
  env?: Record<string, string>;
  input?: string;
}

/** Runs the example as a job of a pipeline does. */
function dispatch({ args = ["-"], env = {}, input = "" }: Setup) {
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, [program, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
    // A program that refuses its settings ends without reading.
    child.stdin?.on("error", () => {}).end(input);
  });
}

/** A workforce agent of the server, and the settings of the job. */
async function startJob({ client, url }: TestServer, fields: Record<string, unknown> = {}) {
  const body = { name: "Lou", prebuilt: "log-analyst", ...fields };
  const { agentId, key } = await client.json(201, "POST", "/api/admin/workforce/agents", body);
  const env = { MUSTER_URL: url, MUSTER_AGENT_KEY: String(key), IDEMPOTENCY_KEY: "build-77" };
  const path = `/api/admin/workforce/agents/${String(agentId)}`;
  return { env, path };
}

describe("dispatch.mjs", () => {
  const scope = suiteScope();
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(scope);
  });

  test("a job gets its answer, also in the summary of the workflow, and a repeat of it the same one without other work", async (t) => {
    const { env } = await startJob(server);
    const summary = join(await temporaryDirectory(t), "summary.md");
    const job = { env: { ...env, GITHUB_STEP_SUMMARY: summary }, input: "web-1 failed web-1\n" };
    const first = await dispatch(job);
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, /files__read returned[\s\S]*2 web-1/);
    assert.match(first.stderr, /^thr_\w+ pending\ncompleted, \d+ tokens, 0 USD\n$/);
    assert.equal(await readFile(summary, "utf8"), first.stdout);
    const again = await dispatch(job);
    assert.deepEqual([again.code, again.stdout], [0, first.stdout]);
    assert.match(again.stderr, /^thr_\w+ completed\n/);
    const other = await dispatch({ env, args: ["Something else"] });
    assert.deepEqual([other.code, /IDEMPOTENCY_KEY_REUSED/.test(other.stderr)], [1, true], other.stderr);
  });

  test("a job survives connections that break, and sends its message once", async (t) => {
    const { env, path } = await startJob(server);
    const proxy = await startProxy(t, Number(new URL(server.url).port));
    let cuts = 0;
    const cutting = setInterval(() => {
      proxy.restore();
      cuts += 1;
      if (cuts === 8) clearInterval(cutting);
    }, 150);
    t.onTestFinished(() => clearInterval(cutting));
    const behind = { ...env, MUSTER_URL: `http://127.0.0.1:${proxy.port}` };
    const { code, stderr } = await dispatch({ env: behind, input: "a b" });
    assert.equal(code, 0, stderr);
    const { queued } = await server.client.json(200, "GET", `${path}/queue`);
    assert.deepEqual(queued, []);
    const again = await dispatch({ env, input: "a b" });
    assert.equal(again.stderr.split(" ")[0], stderr.split(" ")[0]);
  });

  test("a limit of the month ends the job with 4, and a refusal with 1", async () => {
    const { env, path } = await startJob(server, { limits: { monthlyUsd: 0 } });
    const blocked = await dispatch({ env, input: "Hello" });
    assert.equal(blocked.code, 4, blocked.stderr);
    assert.match(blocked.stderr, /blocked: .*spending limit.* \(limit\), 0 tokens/);
    await server.client.json(200, "PATCH", path, { paused: true });
    const refused = await dispatch({ env: { ...env, IDEMPOTENCY_KEY: "build-78" }, input: "Hello" });
    assert.deepEqual([refused.code, /\(AGENT_PAUSED\)\n$/.test(refused.stderr)], [1, true], refused.stderr);
  });

  test("a missing setting is 2, and a server that cannot be reached 3", async () => {
    const env = { MUSTER_URL: "http://127.0.0.1:9", MUSTER_AGENT_KEY: "svc_agt_x", IDEMPOTENCY_KEY: "k" };
    const cases: Array<[Setup, code: number, reason: RegExp]> = [
      [{ env, args: [] }, 2, /^Give the message/],
      [{ env, input: "\n" }, 2, /^Give the message/],
      [{ env: { ...env, MUSTER_AGENT_KEY: "" }, args: ["m"] }, 2, /^Set MUSTER_AGENT_KEY/],
      [{ env: { ...env, IDEMPOTENCY_KEY: "" }, args: ["m"] }, 2, /^Set IDEMPOTENCY_KEY/],
      [{ env: { ...env, PATIENCE_SECONDS: "0" }, args: ["m"] }, 3, /^Cannot reach Muster at /],
    ];
    for (const [setup, code, reason] of cases) {
      const ended = await dispatch(setup);
      assert.deepEqual([ended.code, reason.test(ended.stderr)], [code, true], ended.stderr);
    }
  });
});

test("the workflow is valid YAML, and gives the program every setting that it needs", async () => {
  const text = await readFile(join(import.meta.dirname, "ask-an-agent.yml"), "utf8");
  const [step] = parse(text).jobs.explain.steps.slice(-1);
  assert.match(step.run, /node ci\/dispatch\.mjs - < message\.txt/);
  for (const name of ["MUSTER_URL", "MUSTER_AGENT_KEY"]) assert.ok(name in step.env, name);
  assert.match(step.run, /export IDEMPOTENCY_KEY=/);
});
