import assert from "node:assert/strict";
import { record } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { startTestServer, type TestServer } from "../support/server.ts";

const chat = {
  settings: { slug: "reader", name: "Reader", format: "interactive" },
  protocol: `
input: { MANUAL: { type: file, optional: true } }
tools:
  scan: { description: Scans a page, display: stream, parameters: { page: { type: string, description: Which } } }
triggers:
  say:
    input: { TEXT: { type: string }, FILES: { type: "file[]", optional: true } }
agent: { model: demo/echo, tools: [scan], agentic: true }
handlers:
  say:
    Add: { block: add-message, role: user, prompt: message, input: [TEXT], files: [FILES] }
    Answer: { block: next-message }
`,
  prompts: [{ name: "message", content: "{{TEXT}}" }],
};

const worker = {
  settings: { slug: "summary", name: "Summary", format: "worker" },
  protocol: `
input: { PAGE: { type: file } }
variables: { TEXT: { type: string } }
steps:
  Begin: { block: start-thread, thread: main, model: demo/echo }
  Add: { block: add-message, role: user, prompt: message, files: [PAGE] }
  Answer: { block: next-message, output: TEXT }
output: TEXT
`,
  prompts: [{ name: "message", content: "Sum it up." }],
};

const content = "The café opens at nine.\n";
const sizeOf = (text: string) => Buffer.byteLength(text);

describe("files that may not be read, on every route that takes files", () => {
  const scope = suiteScope();
  let server: TestServer;
  let workerId: string;
  let bad: Array<[what: string, file: Record<string, unknown>, field: string]>;

  const open = () =>
    server.client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentSlug: "reader" });

  async function announce(sessionId: string) {
    const files = [{ filename: "hours.txt", mediaType: "text/plain", size: sizeOf(content) }];
    const { files: issued } = await server.client.json(200, "POST", "/api/files/upload-urls", {
      sessionId,
      files,
    });
    const [first] = Array.isArray(issued) ? issued : [];
    const { id, uploadUrl, downloadUrl } = record(first);
    const file = { id: String(id), mediaType: "text/plain", url: String(downloadUrl), filename: "hours.txt" };
    return { file, uploadUrl: String(uploadUrl) };
  }

  async function upload(sessionId: string) {
    const { file, uploadUrl } = await announce(sessionId);
    const headers = { "content-type": "text/plain" };
    assert.equal((await fetch(uploadUrl, { method: "PUT", headers, body: content })).status, 204);
    return file;
  }

  /** The views of all sessions, and their ids. */
  async function state(): Promise<string[]> {
    const list = await server.client.json(200, "GET", "/api/agent-sessions");
    const ids = Array.isArray(list.sessions)
      ? list.sessions.map((each) => String(record(each).sessionId))
      : [];
    const texts = ids.map(async (id) =>
      (await server.client.request("GET", `/api/agent-sessions/${id}`)).text(),
    );
    return [JSON.stringify(list), ...(await Promise.all(texts))];
  }

  /** Sends each bad file, which must be refused by its place, and change nothing. */
  async function assertRefused(
    code: string,
    place: string,
    path: string,
    bodyWith: (file: unknown) => object,
    files = bad,
  ): Promise<void> {
    const before = await state();
    for (const [what, file, field] of files) {
      const answer = await server.client.json(400, "POST", path, bodyWith(file));
      const issues = Array.isArray(answer.issues) ? answer.issues.map(record) : [];
      assert.deepEqual([answer.code, issues[0]?.path], [code, `${place}.${field}`], what);
    }
    assert.deepEqual(await state(), before);
  }

  beforeAll(async () => {
    server = await startTestServer(scope);
    await server.client.json(201, "POST", "/api/agents", chat);
    workerId = await server.client.field("agentId", 201, "POST", "/api/agents", worker);
    const foreign = await upload(await open());
    const unsent = (await announce(await open())).file;
    const at = (url: string) => ({ ...foreign, url });
    bad = [
      ["of another session", foreign, "url"],
      ["of another session, and not uploaded", unsent, "url"],
      ["with an altered signature", at(`${foreign.url}x`), "url"],
      ["at a private address", at("https://10.0.0.1/a.txt"), "url"],
      ["at a loopback address", at("https://[::1]/a.txt"), "url"],
      ["at an address without TLS", at("http://files.example/a.txt"), "url"],
    ];
  });

  test("a start that names one creates no session", async () => {
    const start = (input: object, trigger: object) => ({
      agentSlug: "reader",
      input,
      trigger: { triggerName: "say", input: { TEXT: "Read", ...trigger } },
    });
    const path = "/api/agent-sessions/start";
    await assertRefused("INVALID_INPUT", "trigger.input.FILES.0", path, (file) =>
      start({}, { FILES: [file] }),
    );
    await assertRefused("INVALID_INPUT", "input.MANUAL", path, (file) => start({ MANUAL: file }, {}));
    await assertRefused("INVALID_INPUT", "input.MANUAL", "/api/agent-sessions", (file) => ({
      agentSlug: "reader",
      input: { MANUAL: file },
    }));
  });

  test("a trigger that names one, or one that was not uploaded yet, adds no message", async () => {
    const sessionId = await open();
    const early: typeof bad = [["not uploaded yet", (await announce(sessionId)).file, "url"]];
    const path = `/api/agent-sessions/${sessionId}/trigger`;
    const say = (file: unknown) => ({ triggerName: "say", input: { TEXT: "Read", FILES: [file] } });
    await assertRefused("INVALID_INPUT", "input.FILES.0", path, say, [...bad, ...early]);
  });

  test("an execution of a worker that names one does not begin", async () => {
    await assertRefused("INVALID_INPUT", "input.PAGE", `/api/agents/${workerId}/execute`, (PAGE) => ({
      type: "start",
      input: { PAGE },
    }));
  });

  test("a result of a tool that names one leaves the call pending, and a good file continues it", async () => {
    const sessionId = await open();
    const events = await server.client.trigger(sessionId, {
      triggerName: "say",
      input: { TEXT: "Please use scan for 1" },
    });
    const request = events.find(({ type }) => type === "tool-request");
    const [call] = Array.isArray(request?.toolCalls) ? request.toolCalls.map(record) : [];
    const bodyWith = (file: unknown) => ({
      triggerName: "say",
      toolResults: [{ toolCallId: call?.toolCallId, toolName: "scan", result: 1, files: [file] }],
    });
    const path = `/api/agent-sessions/${sessionId}/trigger`;
    await assertRefused("INVALID_INPUT", "toolResults.0.files.0", path, bodyWith);
    const done = await server.client.trigger(sessionId, bodyWith(await upload(sessionId)));
    assert.equal(done.at(-1)?.type, "finish");
    assert.ok(done.some(({ type }) => type === "file-available"));
  });

  test("restored messages that name one leave the session expired", async () => {
    const sessionId = await open();
    await server.client.json(200, "DELETE", `/api/agent-sessions/${sessionId}`);
    const restored = bad.filter(([what]) => what !== "of another session, and not uploaded");
    const bodyWith = (file: unknown) => ({
      messages: [
        {
          id: "m1",
          role: "user",
          parts: [
            { type: "text", text: "Hi" },
            { type: "file", ...record(file) },
          ],
          status: "done",
          createdAt: "2026-01-01T00:00:00.000Z",
        },
      ],
    });
    const path = `/api/agent-sessions/${sessionId}/restore`;
    await assertRefused("INVALID_REQUEST", "messages.0.parts.1", path, bodyWith, restored);
    await assertRefused(
      "INVALID_INPUT",
      "input.MANUAL",
      path,
      (MANUAL) => ({ messages: [], input: { MANUAL } }),
      bad,
    );
  });
});
