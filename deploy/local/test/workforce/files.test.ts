import assert from "node:assert/strict";
import { serveTls, testGuard } from "@muster/guarded-fetch/testing";
import { Reason, readRpcError } from "@muster/rpc";
import { systemClock } from "@muster/service";
import { createFiles, defaultFileRules, fileLimits, pathOfFile } from "@muster/storage/files";
import { describe, type TestContext, test } from "vitest";
import { messageFiles, startMessageFiles } from "../support/workforce/message-files.ts";
import { runs, says, startWorkforceWorld, type WorldOptions } from "../support/workforce/world.ts";

const projectId = "default";

/** A hired agent, and files of its own in the storage. */
async function startWithFiles(t: TestContext, options: WorldOptions = {}) {
  const { settings, files, ...stored } = await startMessageFiles(t);
  const world = await startWorkforceWorld(t, {
    ...options,
    workforce: { ...options.workforce, files: settings },
  });
  const lou = await world.hire();
  const { client } = world.first;
  const upload = (filename: string, content: string | null, ownerId = lou.agentId) =>
    stored.upload(ownerId, filename, content);
  const start = async (message: string, attached: object[]) =>
    (await client.startThread({ agentId: lou.agentId, message, files: attached }, world.as(lou.agentId)))
      .threadId;
  const output = async (threadId: string, after = 0) =>
    (await lou.events(threadId, after))
      .filter(({ type }) => type === "computer-output")
      .map(({ json }) => JSON.parse(json).text)
      .join("");
  return { world, files, lou, client, upload, start, output };
}

describe("files of a message", () => {
  test("are on the computer when the model reads the message, which names their paths and stays unchanged", async (t) => {
    const { world, lou, upload, start, output } = await startWithFiles(t, {
      steps: [runs("cat ~/files/data.txt ~/files/data-2.txt ~/files/_passwd"), says("Read.")],
    });
    const attached = [
      await upload("data.txt", "one\n"),
      await upload("data.txt", "two\n"),
      await upload("..passwd", "x\n"),
    ];
    const threadId = await start("Add  them\n up.", attached);
    assert.equal((await lou.ended(threadId)).status, "completed");
    assert.equal(await output(threadId), "one\ntwo\nx\n");
    const sent = JSON.stringify(world.provider.requests[0]?.body);
    const lines = ["data.txt", "data-2.txt", "_passwd"].map((name) => `- ~/files/${name} (text/plain)`);
    const text = ["Files for this message, on your computer:", ...lines, "", "Add  them\n up."].join("\n");
    assert.ok(sent.includes(JSON.stringify(text)), sent);
  });

  test("are in its thread before, during and after its turn, and in later ones, and no model is sent them", async (t) => {
    const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { world, lou, client, upload, start } = await startWithFiles(t, {
      steps: [
        ...gates.map(({ promise }) => ({ parts: [{ until: promise }, { text: "Hm." }] })),
        says("Yes."),
      ],
    });
    const shownIn = async (threadId: string): Promise<unknown> =>
      JSON.parse((await lou.read(threadId)).messagesJson)
        .filter(({ role }: { role: string }) => role === "user")
        .map(({ parts }: { parts: Array<{ type: string }> }) => parts.filter(({ type }) => type === "file"));
    const first = await start("Wait", []);
    await world.provider.received(1);
    const file = await upload("data.txt", "one\n");
    const shown = [[{ type: "file", ...file }]];
    const threadId = await start("Read", [file]);
    assert.deepEqual(await shownIn(threadId), shown, "before");
    gates[0]?.resolve();
    await world.provider.received(2);
    assert.deepEqual(await shownIn(threadId), shown, "during");
    gates[1]?.resolve();
    await lou.ended(threadId);
    assert.deepEqual(await shownIn(threadId), shown, "after");
    await client.followUp({ agentId: lou.agentId, threadId, message: "Sure?" }, world.as(lou.agentId));
    await lou.ended(threadId);
    assert.deepEqual(await shownIn(threadId), [...shown, []], "later");
    assert.deepEqual(await shownIn(first), [[]]);
    for (const { body } of world.provider.requests.slice(1)) {
      const sent = JSON.stringify(body);
      assert.ok(sent.includes("- ~/files/data.txt (text/plain)"));
      assert.ok(!sent.includes("signature=") && !sent.includes("[File:") && !sent.includes("one\\n"), sent);
    }
  });

  test("of a follow-up get names that are not taken, and twenty of them arrive", async (t) => {
    const { world, lou, client, upload, start, output } = await startWithFiles(t, {
      steps: [says("Seen."), runs("ls ~/files | wc -l; cat ~/files/n-21.txt"), says("Read.")],
    });
    const threadId = await start("Look", [await upload("n.txt", "first")]);
    await lou.ended(threadId);
    const attached = await Promise.all(
      Array.from({ length: 20 }, (_, index) => upload("n.txt", `file ${index}`)),
    );
    const seen = (await lou.events(threadId)).length;
    await client.followUp(
      { agentId: lou.agentId, threadId, message: "More", files: attached },
      world.as(lou.agentId),
    );
    assert.equal((await lou.ended(threadId)).status, "completed");
    assert.match(await output(threadId, seen), /^\s*21\nfile 19$/);
  });

  test("are fetched from public https addresses within the limit", async (t) => {
    const port = await serveTls(t, (request, response) => {
      response.end(request.url === "/big" ? Buffer.alloc(defaultFileRules.maxBytes + 1) : "from afar");
    });
    const { lou, start, output } = await startWithFiles(t, {
      guard: testGuard,
      steps: [runs("cat ~/files/data.txt"), says("Read.")],
    });
    const at = (path: string) => ({
      id: "1",
      mediaType: "text/plain",
      url: `https://files.example:${port}/${path}`,
    });
    const threadId = await start("Read", [at("x/data.txt")]);
    assert.equal((await lou.ended(threadId)).status, "completed");
    assert.equal(await output(threadId), "from afar");
    const { status, failureType, failureReason } = await lou.ended(await start("Read", [at("big")]));
    assert.deepEqual([status, failureType], ["failed", "network"]);
    assert.match(failureReason ?? "", /^The file 1 could not be fetched\. .*10000000 bytes\.$/);
  });

  test("that a server does not have, or redirects to a private address, fail the run as network before the model is asked", async (t) => {
    const port = await serveTls(t, (request, response) => {
      if (request.url === "/away") response.writeHead(302, { location: "https://10.0.0.1/" });
      else response.writeHead(404);
      response.end();
    });
    const { world, lou, start } = await startWithFiles(t, { guard: testGuard });
    for (const path of ["none", "away"]) {
      const file = {
        id: "1",
        mediaType: "text/plain",
        url: `https://files.example:${port}/${path}`,
        filename: "a",
      };
      const { status, failureType, failureReason } = await lou.ended(await start("Read", [file]));
      assert.deepEqual([status, failureType], ["failed", "network"]);
      assert.match(failureReason ?? "", /^The file a could not be fetched/);
    }
    assert.equal(world.provider.requests.length, 0);
  });

  test("keep their names when another process continues to put them on the computer", async (t) => {
    const asked = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const port = await serveTls(t, async (_request, response) => {
      asked.resolve();
      await gate.promise;
      response.end("slow\n");
    });
    const { world, lou, upload, start } = await startWithFiles(t, {
      guard: testGuard,
      steps: [runs("cd ~/files; ls; cat data.txt slow.txt"), says("Read.")],
      workforce: { timings: { leaseMs: 600_000, pollEveryMs: 600_000 } },
    });
    const slow = { id: "1", mediaType: "text/plain", url: `https://files.example:${port}/slow.txt` };
    const threadId = await start("Read", [await upload("data.txt", "data\n"), slow]);
    await asked.promise;
    const second = await world.addWorkforce();
    await world.first.stop();
    gate.resolve();
    const taken = lou.through(second);
    assert.equal((await taken.ended(threadId)).status, "completed");
    const outputs = (await taken.events(threadId)).filter(({ type }) => type === "computer-output");
    const text = outputs.map(({ json }) => JSON.parse(json).text).join("");
    assert.equal(text, "data.txt\nslow.txt\ndata\nslow\n");
  });

  test("of a server that never responds do not keep a cancelled run", async (t) => {
    const asked = Promise.withResolvers<void>();
    const port = await serveTls(t, () => asked.resolve());
    const { lou, start } = await startWithFiles(t, { guard: testGuard, steps: [says("Free.")] });
    const file = { id: "1", mediaType: "text/plain", url: `https://files.example:${port}/a` };
    const threadId = await start("Read", [file]);
    await asked.promise;
    assert.equal((await lou.cancel(threadId)).status, "cancelled");
    assert.equal((await lou.ended(await lou.start("Next"))).status, "completed");
  });

  test("that were removed before the run fail it as platform, and the next message works", async (t) => {
    const gate = Promise.withResolvers<void>();
    const { world, files, lou, upload, start } = await startWithFiles(t, {
      steps: [{ parts: [{ until: gate.promise }, { text: "First." }] }, says("Last.")],
    });
    const first = await start("Begin", []);
    await world.provider.received(1);
    const second = await start("Read", [await upload("a.txt", "gone")]);
    const third = await start("Go on", []);
    await files.storage.removeOwner({ projectId, ownerId: lou.agentId });
    gate.resolve();
    assert.equal((await lou.ended(first)).status, "completed");
    const { status, failureType, failureReason } = await lou.ended(second);
    assert.deepEqual([status, failureType], ["failed", "platform"]);
    assert.equal(failureReason, "The file a.txt is no longer stored.");
    assert.equal((await lou.ended(third)).status, "completed");
  });

  test("are refused before anything is created unless they are the agent's own or public", async (t) => {
    const { world, lou, client, upload, start } = await startWithFiles(t);
    const own = await upload("a.txt", "abc");
    const past = createFiles(messageFiles("/nonexistent"), {
      now: () => systemClock.now() - fileLimits.downloadLifetimeMs,
    });
    const { id } = own;
    const expired = past.addresses.signDownload({ projectId, ownerId: lou.agentId, id });
    const rows: Array<[string, RegExp]> = [
      [(await upload("a.txt", "abc", "agt_other")).url, /download URL of this agent/],
      [(await upload("a.txt", null)).url, /upload the file first/],
      [`https://a.example${pathOfFile({ id, signature: expired })}`, /has expired/],
      [own.url.replace(id, "file_other"), /or a public https address/],
      [`${own.url}x`, /or a public https address/],
      ["http://files.example/a", /or a public https address/],
      ["https://127.0.0.1/a", /or a public https address/],
      ["https://169.254.169.254/latest/meta-data", /or a public https address/],
      ["https://[::1]/a", /or a public https address/],
      ["https://user:pw@files.example/a", /or a public https address/],
      ["https://files.example:22/a", /or a public https address/],
      ["file:///etc/passwd", /http or https/],
    ];
    for (const [url, problem] of rows) {
      const { reason, issues } = await refusalOf(start("Read", [own, { ...own, url }]));
      assert.equal(reason, Reason.INVALID_REQUEST, url);
      assert.deepEqual(
        issues.map(({ path }) => path),
        ["files.1.url"],
        url,
      );
      assert.match(issues[0]?.message ?? "", problem);
    }
    assert.deepEqual((await client.listThreads({ agentId: lou.agentId }, world.as(lou.agentId))).threads, []);
  });
});

async function refusalOf(call: Promise<unknown>) {
  return call.then(
    () => assert.fail("The call was not refused"),
    (error: unknown) => readRpcError(error),
  );
}
