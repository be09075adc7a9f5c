import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { readExample } from "@muster/local/testing/example";
import { TestProcess } from "@muster/local/testing/process";
import { namedByEcho, sampleFiles, uploadFiles } from "@muster/local/testing/upload";
import { programEnvironment, record, TestClient, temporaryDirectory, textOf } from "@muster/testing";
import { beforeAll, test } from "vitest";

const root = resolve(import.meta.dirname, "../../..");
const bundle = join(root, "node_modules/.cache/muster/current");
const key = "svc_sk_0123456789abcdef0123456789abcdef";

beforeAll(() => {
  const env = { ...programEnvironment(), MUSTER_SOURCES: "" };
  execFileSync(process.execPath, [join(root, "scripts/setup.mjs"), "--bundle"], { env });
});

test("the bundle streams a turn that reads an uploaded image, and records a teammate that uses its computer", async (t) => {
  const env = {
    ...{ PORT: "0", MUSTER_ADMIN_KEY: key, MUSTER_SOURCES: "", NODE_COMPILE_CACHE: undefined },
    // Beside other tests, a video of low priority would take minutes.
    RECORDER_PRIORITY: "normal",
  };
  const muster = new TestProcess(t, { ...env, DATA_DIR: await temporaryDirectory(t) }, [
    join(root, "packages/cli/bin/muster.mjs"),
    ...["serve", "all"],
  ]);
  const [, url = ""] = await muster.printed(/running at (http:\S+)/);
  const client = new TestClient(url, key);

  const reader = await readExample("document-reader");
  const agentId = await client.field("agentId", 201, "POST", "/api/agents", reader);
  const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
  const files = await uploadFiles(client, sessionId, sampleFiles);
  const input = { QUESTION: "What is this?", DOCUMENTS: files };
  const events = await client.trigger(sessionId, { triggerName: "user-message", input });
  for (const file of files) assert.ok(textOf(events).includes(namedByEcho(file)), textOf(events));

  const hiring = { name: "Lou", prebuilt: "log-analyst" };
  const hired = await client.json(201, "POST", "/api/admin/workforce/agents", hiring);
  const lou = new TestClient(url, String(hired.key));
  const threads = `/api/v1/workforce/agents/${String(hired.agentId)}/threads`;
  const work = { message: "Count a b b", config: { record: true } };
  const threadId = await lou.field("threadId", 201, "POST", threads, work);
  const show = () => lou.json(200, "GET", `${threads}/${threadId}?wait=5`);
  let thread = await show();
  while (thread.status === "running" || record(thread.recording).status === "processing")
    thread = await show();
  assert.deepEqual([thread.status, record(thread.recording).status], ["completed", "ready"], muster.output);
  const video = await fetch(String(record(thread.recording).url));
  assert.equal(video.status, 200);
  await video.body?.cancel();

  muster.child.kill("SIGTERM");
  assert.equal(await muster.exitCode(), 0, muster.output);
  assert.ok(!muster.output.includes('"level":40'), muster.output);
  assert.ok(existsSync(join(bundle, "compiled")), "later starts compile nothing");
});

test("a stack trace of a bundled program names the file and the line of the source", () => {
  // It refuses to run outside of a thread.
  const { stderr } = spawnSync(process.execPath, [join(bundle, "store-thread.mjs")], { encoding: "utf8" });
  const [, file = "", line] = /^ {4}at (?:file:\/\/)?(\/\S+store-thread\.ts):(\d+):\d+$/m.exec(stderr) ?? [];
  assert.equal(file, join(root, "packages/embedded-store/src/store-thread.ts"), stderr);
  const lines = readFileSync(file, "utf8").split("\n");
  assert.match(lines[Number(line) - 1] ?? "", /throw new Error\(".*runs as a worker thread"\)/);
});

test("the threads of the bundle find their tasks", () => {
  const modules = ["body-thread", "reader-tasks", "scale-image"];
  const print = `for (const name of ${JSON.stringify(modules)})
    console.log(Object.keys(await import(${JSON.stringify(`${bundle}/`)} + name + ".mjs")).join(" "));`;
  const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", print], {
    encoding: "utf8",
  });
  assert.equal(printed, "check slim\ncompleteEntries showSession\nscaleImage\n");
});
