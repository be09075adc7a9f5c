import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readAgentFolder } from "@muster/language/folder";
import { FoldedSession } from "@muster/local/testing/folded-session";
import { startTestServer } from "@muster/local/testing/server";
import { record, type TestClient } from "@muster/testing";
import { type TestContext, test } from "vitest";

const folder = import.meta.dirname;

async function push(client: TestClient, path: string): Promise<string> {
  const read = await readAgentFolder(path);
  assert.ok(read.ok, JSON.stringify(read));
  const report = await client.json(200, "POST", "/api/agents/validate", read.definition);
  assert.deepEqual({ errors: report.errors, warnings: report.warnings }, { errors: [], warnings: [] });
  return client.field("agentId", 201, "POST", "/api/agents", read.definition);
}

async function start(t: TestContext) {
  const { client, url, key } = await startTestServer(t);
  await push(client, join(folder, "workers/incident-summary"));
  const agentId = await push(client, folder);
  const cwd = await mkdtemp(join(tmpdir(), "muster-incident-log-"));
  t.onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const env = { MUSTER_URL: url, MUSTER_API_KEY: key, USER: "Ada" };
  /** Runs log.mjs, with this input, and returns what it has printed. */
  const log = (rest: string[], input = "") =>
    new Promise<string>((resolve, reject) => {
      const options = { env, cwd, maxBuffer: 10_000_000 };
      const program = [join(folder, "log.mjs"), "checkout", ...rest];
      const child = execFile(process.execPath, program, options, (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      );
      child.stdin?.end(input);
    });
  const saved = async (): Promise<{ sessionId: string; messages: unknown[] }> =>
    JSON.parse(await readFile(join(cwd, "checkout.incident.json"), "utf8"));
  return { client, agentId, log, saved };
}

function compactions(entries: unknown): Array<Record<string, unknown>> {
  assert.ok(Array.isArray(entries));
  return entries.map(record).filter(({ type }) => type === "compaction");
}

test("the notes of three days become summaries by the worker, the log has every note, and an expired session is restored", async (t) => {
  const { client, log, saved } = await start(t);
  const notes = await readFile(join(folder, "notes.txt"), "utf8");
  const lines = notes.trim().split("\n");
  const answers = await log([], notes);
  for (const line of lines) assert.ok(answers.includes(`You said: Ada: ${line}`), line);
  const { sessionId, messages } = await saved();
  assert.equal(record(messages[0]).summary, true);
  assert.ok(messages.length < lines.length, `${messages.length} messages`);
  const path = `/api/agent-sessions/${sessionId}`;
  const { entries } = await client.json(200, "GET", `${path}/logs`);
  for (const line of lines)
    assert.ok(JSON.stringify(entries).includes(JSON.stringify(line).slice(1, -1)), line);
  const made = compactions(entries);
  assert.ok(made.length >= 2, `${made.length} summaries`);
  for (const { method, summarizer, summary, tokensBefore, tokensAfter } of made) {
    assert.deepEqual([method, summarizer], ["summary", "incident-summary"]);
    assert.ok(typeof summary === "string" && summary.includes("14:02 Checkout returns 502"), String(summary));
    assert.ok(Number(tokensAfter) < Number(tokensBefore));
  }

  await client.json(200, "DELETE", path);
  assert.match(await log(["Who owns the refunds?"]), /You said: Ada: Who owns the refunds\?/);
  assert.equal((await saved()).sessionId, sessionId);
  assert.match(await log(["--hand-over"]), /You said: The shift ends/);
  const { messages: all } = await saved();
  assert.equal(record(all[0]).summary, true);
  assert.deepEqual(record(all.at(-1)).role, "assistant");
});

test("a client that follows the events has what the session shows, before and after a summary", async (t) => {
  const { client, agentId } = await start(t);
  const input = { INCIDENT: "Checkout fails." };
  const id = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId, input });
  const session = new FoldedSession(client, id);
  const NOTE = "The error rate is the same as before. ".repeat(12);
  for (let count = 0; count < 8; count++) await session.trigger({ triggerName: "note", input: { NOTE } });
  const { entries } = await client.json(200, "GET", `/api/agent-sessions/${id}/logs`);
  assert.ok(compactions(entries).length > 0);
  await session.trigger({ triggerName: "hand-over" });
  assert.equal(session.fold.messages().length, 17);
});
