import assert from "node:assert/strict";
import { chmod } from "node:fs/promises";
import { readComputersConfig } from "@muster/computers/config";
import { temporaryDirectory, until } from "@muster/testing";
import { describe, test } from "vitest";
import { runs, says, startWorkforceWorld } from "../support/workforce/world.ts";

const textsOf = (events: Array<{ type: string; json: string }>, type: string) =>
  events.filter((event) => event.type === type).map(({ json }) => JSON.parse(json));

describe("a run", () => {
  test("works on the computer, streams what it does without a gap, and ends with provenance and usage", async (t) => {
    const { hire, provider } = await startWorkforceWorld(t, {
      steps: [
        runs("echo one >> log.txt", "cat log.txt"),
        runs("echo two >> log.txt; cat log.txt"),
        says("Two lines."),
      ],
    });
    const lou = await hire();
    const threadId = await lou.start("Write");
    const events = await lou.events(threadId);
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      events.map((_, index) => index + 1),
    );
    assert.deepEqual(
      textsOf(events, "computer-output").map(({ text }) => text),
      ["one\n", "one\ntwo\n"],
    );
    const statuses = textsOf(events, "thread-status").map(({ status }) => status);
    assert.deepEqual([...new Set(statuses)], ["pending", "running", "completed"]);
    const thread = await lou.read(threadId);
    assert.equal(thread.status, "completed");
    assert.ok(thread.messagesJson.includes("Two lines."));
    assert.deepEqual(
      [
        thread.provenance?.deployments.map(({ deploymentId }) => deploymentId),
        thread.provenance?.computer?.kind,
      ],
      [["dev"], "sandbox"],
    );
    assert.equal(thread.usage?.inputTokens, 30n);
    assert.equal(provider.requests.length, 3);
    const half = events.length >> 1;
    assert.deepEqual(
      (await lou.events(threadId, half)).map(({ sequence }) => sequence),
      events.slice(half).map(({ sequence }) => sequence),
    );
  });

  test("works with real programs where the operator has chosen them", {
    skip: process.platform !== "linux",
  }, async (t) => {
    const directory = await temporaryDirectory(t);
    await chmod(directory, 0o711);
    const users = process.getuid?.() === 0 ? { SANDBOX_UIDS: "220000-220099" } : {};
    const env = { COMPUTER_RUNTIME: "bubblewrap", DATA_DIR: directory, ...users };
    const { hire } = await startWorkforceWorld(t, {
      steps: [
        runs("git init -q r; python3 -c 'print(6 * 7)' > r/f", "git -C r status --short; cat r/f"),
        says("Done."),
      ],
      workforce: { computers: readComputersConfig(env) },
    });
    const lou = await hire();
    const threadId = await lou.start("Work");
    const events = await lou.events(threadId);
    assert.deepEqual(
      textsOf(events, "computer-output")
        .map(({ text }) => text)
        .join(""),
      "?? f\n42\n",
    );
    const { status, provenance } = await lou.read(threadId);
    assert.equal(status, "completed");
    assert.doesNotMatch(provenance?.computer?.imageVersion ?? "just-bash", /just-bash/);
  });

  test("takes the messages that arrived meanwhile before other threads, in the same run", async (t) => {
    const gate = Promise.withResolvers<void>();
    const { hire, provider } = await startWorkforceWorld(t, {
      steps: [{ parts: [{ until: gate.promise }, { text: "First." }] }, says("Second."), says("Other.")],
    });
    const lou = await hire();
    const threadId = await lou.start("Begin");
    await provider.received(1);
    const other = await lou.start("Another thread");
    assert.equal((await lou.followUp(threadId, "Go on")).status, "running");
    gate.resolve();
    assert.equal((await lou.ended(threadId)).status, "completed");
    assert.ok((await lou.read(threadId)).messagesJson.includes("Second."));
    assert.ok((await lou.ended(other)).messagesJson.includes("Other."));
    const statuses = textsOf(await lou.events(threadId), "thread-status").map(({ status }) => status);
    assert.deepEqual([...new Set(statuses)], ["pending", "running", "completed"]);
  });

  test("a follow-up to a finished thread continues its conversation, its files and its events", async (t) => {
    const { hire } = await startWorkforceWorld(t, {
      steps: [runs("echo kept > notes.txt"), says("Noted."), runs("cat notes.txt"), says("Kept.")],
    });
    const lou = await hire();
    const threadId = await lou.start("Note it");
    await lou.ended(threadId);
    const before = await lou.events(threadId);
    await lou.followUp(threadId, "Read it");
    const after = await lou.events(threadId, before.length);
    assert.equal(after[0]?.sequence, before.length + 1);
    assert.deepEqual(
      textsOf(after, "computer-output").map(({ text }) => text),
      ["kept\n"],
    );
    const { messagesJson } = await lou.read(threadId);
    assert.ok(messagesJson.includes("Noted.") && messagesJson.includes("Kept."));
  });

  test("a cancelled run kills its command and frees the agent within 5 seconds, and the next thread runs", async (t) => {
    const world = await startWorkforceWorld(t, { steps: [runs("sleep 600"), says("Next.")] });
    const { hire, computerLog } = world;
    const lou = await hire();
    const threadId = await lou.start("Sleep");
    const next = await lou.start("Work");
    await until("the command runs", async () => (await computerLog(lou.agentId)).length > 0);
    const startedMs = performance.now();
    assert.equal((await lou.cancel(threadId)).status, "cancelled");
    assert.equal((await lou.ended(next)).status, "completed");
    assert.ok(performance.now() - startedMs < 5_000);
    const { status, messagesJson } = await lou.read(threadId);
    const last = JSON.parse(messagesJson).at(-1);
    assert.deepEqual([status, last.status, last.parts.at(-1).status], ["cancelled", "done", "cancelled"]);
    const events = await lou.events(threadId);
    assert.deepEqual(JSON.parse(events.at(-1)?.json ?? ""), { type: "thread-status", status: "cancelled" });
    await until("the agent is idle", async () => (await lou.status())?.status === "idle");
  });

  test("a follow-up to a cancelled run begins a turn of its own, and does not repeat the call that was killed", async (t) => {
    const world = await startWorkforceWorld(t, {
      steps: [runs("echo x >> log.txt; sleep 600"), says("Again.")],
    });
    const lou = await world.hire();
    const threadId = await lou.start("Sleep");
    await until("the command runs", async () => (await world.computerLog(lou.agentId)).length > 0);
    await lou.cancel(threadId);
    await lou.followUp(threadId, "Something else");
    const thread = await lou.ended(threadId);
    assert.equal(thread.status, "completed");
    assert.ok(thread.messagesJson.includes("Again."));
    const started = (await world.computerLog(lou.agentId)).filter(({ step }) => step === "start");
    assert.equal(started.length, 1);
  });

  test("the command of a cancelled run stays cancelled while a follow-up waits for its turn", async (t) => {
    const gate = Promise.withResolvers<void>();
    const { hire, provider, computerLog } = await startWorkforceWorld(t, {
      steps: [runs("sleep 600"), { parts: [{ until: gate.promise }, { text: "Other." }] }, says("Next.")],
    });
    const lou = await hire();
    const threadId = await lou.start("Sleep");
    await until("the command runs", async () => (await computerLog(lou.agentId)).length > 0);
    await lou.cancel(threadId);
    await lou.start("Hold the agent");
    await provider.received(2);
    assert.equal((await lou.followUp(threadId, "Again")).status, "queued");
    const [, answer] = JSON.parse((await lou.read(threadId)).messagesJson);
    assert.deepEqual([answer.status, answer.parts.at(-1).status], ["done", "cancelled"]);
    gate.resolve();
    assert.equal((await lou.ended(threadId)).status, "completed");
  });

  test("a run that waits for its model is cancelled at once", async (t) => {
    const { hire, provider } = await startWorkforceWorld(t, {
      steps: [{ parts: [{ until: new Promise(() => undefined) }] }, says("Next.")],
    });
    const lou = await hire();
    const threadId = await lou.start("Wait");
    await provider.received(1);
    await lou.cancel(threadId);
    await provider.requests[0]?.clientGone;
    const next = await lou.start("Work");
    assert.equal((await lou.ended(next)).status, "completed");
    assert.equal((await lou.read(threadId)).status, "cancelled");
  });

  test("a tool call that fails is an error for the model, and the run continues", async (t) => {
    const call = { toolCall: { name: "files__read", arguments: { path: "/nowhere" } } };
    const { hire, provider } = await startWorkforceWorld(t, { steps: [{ parts: [call] }, says("I see.")] });
    const lou = await hire();
    const threadId = await lou.start("Read");
    assert.equal((await lou.ended(threadId)).status, "completed");
    assert.equal(provider.requests.length, 2);
    assert.equal(textsOf(await lou.events(threadId), "tool-output-error").length, 1);
  });
});
