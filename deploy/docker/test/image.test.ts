import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { record, TestClient, until } from "@muster/testing";
import { afterAll, beforeAll, type TestContext, test } from "vitest";
import { type ImageSettings, readDockerfile, settingsOf } from "../src/dockerfile.ts";
import { buildImage, copyTrackedFiles, dockerfile, repository } from "./support/build.ts";
import { type Container, Containers, type Env, isIsolated } from "./support/container.ts";

// `npm run test:image`: with an installation of its own from a clean checkout, a video, and every process.
const isComplete = process.env.IMAGE_PROOF === "complete";
const key = `svc_sk_${randomBytes(24).toString("hex")}`;
const scratch = makeScratch();
const build = { DEPLOYMENT_ID: "build-7", COMMIT_SHA: "0123abc" };

let settings: ImageSettings;
let containers: Containers;
let report = "";

beforeAll(async () => {
  const checkout = join(scratch.path, "checkout");
  if (isComplete) await copyTrackedFiles(checkout);
  const { root, output } = await buildImage({
    scratch: scratch.path,
    ...(isComplete
      ? { context: checkout }
      : { context: repository, ready: { packages: repository, tools: repository } }),
  });
  report = output;
  const image = readDockerfile(dockerfile).at(-1);
  assert.ok(image);
  settings = settingsOf(image, { ...build, PATH: "/usr/local/bin:/usr/bin:/bin" });
  containers = new Containers({ scratch: scratch.path, root, settings });
  if (isComplete) console.log(report);
});

afterAll(() => scratch.remove());

/** An empty folder that another user can read. `remove` also removes read-only files. */
function makeScratch(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "muster-image-"));
  chmodSync(path, 0o755);
  const remove = () => {
    spawnSync("chmod", ["-R", "u+w", path]);
    rmSync(path, { recursive: true, force: true });
  };
  return { path, remove };
}

/** `docker run --read-only muster all`, on a free port of loopback. */
async function startAll(t: TestContext): Promise<{ muster: Container; client: TestClient; env: Env }> {
  const env = { HOST: "127.0.0.1", MUSTER_ADMIN_KEY: key };
  const muster = containers.start(t, [...settings.command, ...settings.defaultArguments], {
    ...env,
    PORT: "0",
  });
  const url = await muster.printed(/running at (http:\S+)/);
  return { muster, client: new TestClient(url, key), env: { ...env, PORT: new URL(url).port } };
}

/** Hires a teammate and gives it a task that needs its computer. Resolves with the thread when it has ended. */
async function runTask(client: TestClient): Promise<Record<string, unknown>> {
  const hiring = { name: "Lou", prebuilt: "log-analyst" };
  const hired = await client.json(201, "POST", "/api/admin/workforce/agents", hiring);
  const lou = new TestClient(client.url, String(hired.key));
  const threads = `/api/v1/workforce/agents/${String(hired.agentId)}/threads`;
  const work = { message: "Count a b b", config: { record: isComplete } };
  const threadId = await lou.field("threadId", 201, "POST", threads, work);
  const isOver = ({ status, recording }: Record<string, unknown>) =>
    !["pending", "queued", "running"].includes(String(status)) &&
    (!isComplete || record(recording).status !== "processing");
  for (;;) {
    const thread = await lou.json(200, "GET", `${threads}/${threadId}?wait=5`);
    if (isOver(thread)) return thread;
  }
}

test("the product is below 250 MB, and its build prints the size", () => {
  const [, size] = /^product: ([\d.]+) MB/m.exec(report) ?? [];
  assert.ok(Number(size) > 20 && Number(size) < 250, report);
});

test("a container does the work of a teammate as a user without privileges, is healthy, and exits with 0 on SIGTERM", async (t) => {
  const { muster, client, env } = await startAll(t);
  await until("it is ready", async () => (await client.request("GET", "/readyz")).status === 200);
  const { status, provenance, recording } = await runTask(client);
  assert.equal(status, "completed");
  const shown = JSON.stringify(record(provenance).platform);
  assert.ok(
    shown.includes(`"deploymentId":"${build.DEPLOYMENT_ID}","commitSha":"${build.COMMIT_SHA}"`),
    shown,
  );
  if (isComplete) assert.equal(record(recording).status, "ready");
  if (isIsolated) await muster.execute(settings, settings.healthCommand, env);
  await until("no process that has ended is left", () => muster.zombies().length === 0);
  process.kill(muster.pid, "SIGTERM");
  const { code, output } = await muster.ended();
  assert.equal(code, 0, output);
  const others = output.split("\n").filter((line) => /warn|denied|read-only|EROFS|EACCES/i.test(line));
  assert.deepEqual(others, []);
});

const writes = `
  const { writeFileSync } = require("node:fs");
  for (const path of process.argv.slice(1)) {
    try {
      writeFileSync(path, "", { flag: "a" });
      console.log(path, "written");
    } catch ({ code }) {
      console.log(path, code);
    }
  }
`;

test("only /data and /tmp can be written", async (t) => {
  const closed = [
    "/app/new",
    "/app/muster/start.mjs",
    "/app/muster/compiled/new",
    "/app/node_modules/.cache",
  ];
  // Without isolation, the rest of the file system is that of this machine.
  if (isIsolated) closed.push("/new", "/usr/bin/new", "/etc/new", "/node/new");
  const paths = [...closed, "/data/new", "/tmp/new"].map((path) => containers.path(path));
  const { output } = await containers.start(t, ["node", "--eval", writes, ...paths]).ended();
  const written = output.split("\n").filter((line) => line.endsWith(" written"));
  assert.deepEqual(
    written,
    ["/data/new", "/tmp/new"].map((path) => `${containers.path(path)} written`),
    output,
  );
});

const processes = ["gateway", "auth", "agents", "sessions", "workforce", "recorder"];

for (const name of isComplete ? processes : ["recorder"]) {
  test(`the ${name} process finds all of its modules in the image and names its missing settings`, async (t) => {
    const { code, output } = await containers.start(t, [...settings.command, name]).ended();
    assert.match(output, new RegExp(`^(?:${name} cannot start: [A-Z_]+ must be set\\.\n){2,}$`));
    assert.equal(code, 1);
  });
}
