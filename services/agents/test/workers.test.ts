import assert from "node:assert/strict";
import { Format } from "@muster/proto/agents";
import { Reason } from "@muster/proto/errors";
import { test } from "vitest";
import {
  byId,
  bySlug,
  definition,
  issuesOf,
  type Running,
  refused,
  startAgents,
} from "./support/start-agents.ts";

/** An agent that runs these workers. */
function worker(slug: string, workers: readonly string[] = [], format: Format = Format.WORKER) {
  const declared = workers.map((name) => `  ${name}: { description: Does something }\n`).join("");
  const blocks = [
    ...(format === Format.WORKER ? ["Start: { block: start-thread, thread: main, model: demo/echo }"] : []),
    ...workers.map((name) => `Run ${name}: { block: run-worker, worker: ${name} }`),
    "Answer: { block: next-message }",
  ].join(", ");
  const rest =
    format === Format.WORKER
      ? `steps: { ${blocks} }`
      : `triggers: { go: }\nagent: { model: demo/echo }\nhandlers: { go: { ${blocks} } }`;
  return definition({
    settings: { slug, name: slug, format },
    protocol: `${declared === "" ? "" : `workers:\n${declared}`}${rest}`,
    prompts: [],
  });
}

async function add(running: Running, ...args: Parameters<typeof worker>): Promise<string> {
  return (await running.client.createAgent({ definition: worker(...args) }, running.as())).agentId;
}

const graphCodes = new Set(["WORKER_CYCLE", "UNREACHABLE_WORKER"]);

async function validate(running: Running, ...args: Parameters<typeof worker>): Promise<string[]> {
  const { issues } = await running.client.validateAgent({ definition: worker(...args) }, running.as());
  return issues.filter(({ code }) => graphCodes.has(code)).map(({ code, path }) => `${code} ${path}`);
}

test("an agent that would run itself through others is refused by create, update and validate", async (t) => {
  const running = await startAgents(t);
  await add(running, "b", ["c"]);
  await add(running, "c", ["a"]);
  assert.deepEqual(await validate(running, "a", ["b"]), ["WORKER_CYCLE workers.b"]);
  const create = running.client.createAgent({ definition: worker("a", ["b"]) }, running.as());
  await assert.rejects(create, refused(Reason.INVALID_DEFINITION));
  const cycle = (await issuesOf(create)).find(({ code }) => code === "WORKER_CYCLE");
  assert.match(cycle?.message ?? "", /a -> b -> c -> a/);
  const agent = byId(await add(running, "a"));
  const { protocol } = worker("a", ["b"]);
  const update = running.client.updateAgent({ agent, protocol: protocol ?? "" }, running.as());
  await assert.rejects(update, refused(Reason.INVALID_DEFINITION));
  assert.deepEqual(await issuesOf(update), await issuesOf(create));
});

test("an update is checked against its own new workers and the latest workers of the others", async (t) => {
  const running = await startAgents(t);
  const a = await add(running, "a", ["b"]);
  const b = await add(running, "b");
  const change = (id: string, slug: string, workers: string[]) =>
    running.client.updateAgent(
      { agent: byId(id), protocol: worker(slug, workers).protocol ?? "" },
      running.as(),
    );
  await assert.rejects(change(b, "b", ["a"]), refused(Reason.INVALID_DEFINITION));
  await change(a, "a", []);
  await change(b, "b", ["a"]);
  await assert.rejects(change(a, "a", ["b"]), refused(Reason.INVALID_DEFINITION));
  assert.deepEqual(await validate(running, "b"), []);
});

test("workers are looked up despite other errors", async (t) => {
  const running = await startAgents(t);
  await add(running, "b", ["a"]);
  const { protocol = "", ...rest } = worker("a", ["b", "w"]);
  const wrong = {
    ...rest,
    protocol: `${protocol}\nunknown: 1\n`.replace("workers:\n", "workers:\n  No Slug: {}\n"),
  };
  const { issues } = await running.client.validateAgent({ definition: wrong }, running.as());
  assert.deepEqual(
    issues.filter(({ path }) => path.startsWith("workers.")).map(({ code, path }) => `${code} ${path}`),
    [
      "INVALID_NAME workers.No Slug",
      "MISSING_FIELD workers.No Slug.description",
      "WORKER_CYCLE workers.b",
      "UNREACHABLE_WORKER workers.w",
    ],
  );
});

test("a worker that is missing, archived, of another project or of the other format is a warning", async (t) => {
  const running = await startAgents(t);
  const warning = ["UNREACHABLE_WORKER workers.w"];
  assert.deepEqual(await validate(running, "a", ["w"]), warning);
  await running.client.createAgent({ definition: worker("w") }, running.as({ projectId: "prj_two" }));
  assert.deepEqual(await validate(running, "a", ["w"]), warning);
  await add(running, "w");
  assert.deepEqual(await validate(running, "a", ["w"]), []);
  await running.client.archiveAgent({ agent: bySlug("w") }, running.as());
  assert.deepEqual(await validate(running, "a", ["w"]), warning);
  await add(running, "w", [], Format.INTERACTIVE);
  assert.deepEqual(await validate(running, "a", ["w"]), warning);
});

test("agents without stored workers count as having none", async (t) => {
  const running = await startAgents(t);
  const id = await add(running, "b", ["a"]);
  assert.deepEqual(await validate(running, "a", ["b"]), ["WORKER_CYCLE workers.b"]);
  const heads = running.db.collection<{ _id: string }>("agents");
  await heads.updateOne({ _id: id }, { $unset: { workers: "" } });
  assert.deepEqual(await validate(running, "a", ["b"]), []);
  await running.client.updateAgent({ agent: byId(id), name: "Again" }, running.as());
  assert.deepEqual(await validate(running, "a", ["b"]), ["WORKER_CYCLE workers.b"]);
});

test("the next writer announces the workers of a version whose writer died", async (t) => {
  const running = await startAgents(t);
  const id = await add(running, "b");
  const agent = byId(id);
  await running.client.updateAgent({ agent, protocol: worker("b", ["a"]).protocol ?? "" }, running.as());
  // The state after a crash between the two writes.
  const heads = running.db.collection<{ _id: string }>("agents");
  await heads.updateOne({ _id: id }, { $set: { latestVersion: 1, workers: [] } });
  const { version } = await running.client.updateAgent({ agent, name: "Third" }, running.as());
  assert.equal(version, 3);
  assert.deepEqual(await validate(running, "a", ["b"]), ["WORKER_CYCLE workers.b"]);
});

test("long chains of workers are followed, and a thousand agents are checked quickly", async (t) => {
  const running = await startAgents(t);
  const head = (slug: string, workers: string[]) => ({
    ...{ _id: `agt_${slug}`, projectId: "prj_one", slug, state: "active", latestVersion: 1, workers },
    settings: { slug, name: slug, format: "worker" },
  });
  const chain = Array.from({ length: 40 }, (_, i) => head(`c${i}`, [i === 39 ? "a" : `c${i + 1}`]));
  const wide = Array.from({ length: 1_200 }, (_, i) =>
    head(
      `w${i}`,
      Array.from({ length: 100 }, (__, k) => `w${(i * 100 + k) % 1_200}`),
    ),
  );
  await running.db.collection<{ _id: string }>("agents").insertMany([...chain, ...wide]);
  assert.deepEqual(await validate(running, "a", ["c0"]), ["WORKER_CYCLE workers.c0"]);
  // Following each path instead of each agent would outlast the test's timeout.
  assert.deepEqual(await validate(running, "a", ["w0", "w1"]), []);
});
