import assert from "node:assert/strict";
import { TestClient } from "@muster/testing";
import { test } from "vitest";
import { readExample } from "./support/example.ts";
import { startTestServer } from "./support/server.ts";
import { namedByEcho, sampleFiles, uploadFiles } from "./support/upload.ts";

test("a token for a session uploads files for this session and sends them, and gets no URL for another one", async (t) => {
  const { client, url } = await startTestServer(t);
  const example = await readExample("document-reader");
  const agentId = await client.field("agentId", 201, "POST", "/api/agents", example);
  const open = () => client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
  const [own, other] = [await open(), await open()];
  const mint = (body: object) => client.field("token", 201, "POST", "/api/tokens", { agentId, ...body });
  const page = new TestClient(url, await mint({ sessionId: own }));

  const files = await uploadFiles(page, own, sampleFiles);
  const events = await page.trigger(own, {
    triggerName: "user-message",
    input: { QUESTION: "What is this?", DOCUMENTS: files },
  });
  const text = events.map(({ delta = "" }) => String(delta)).join("");
  for (const file of files) assert.ok(text.includes(namedByEcho(file)), text);

  const announced = [{ filename: "a.txt", mediaType: "text/plain", size: 1 }];
  const refused = await page.json(403, "POST", "/api/files/upload-urls", {
    sessionId: other,
    files: announced,
  });
  assert.deepEqual([refused.code, "files" in refused], ["FORBIDDEN", false]);
  assert.match(String(refused.error), new RegExp(`only for the session ${own}`));
  // A file belongs to the session that it was uploaded for; no credential makes it another session's.
  const stolen = await client.json(400, "POST", `/api/agent-sessions/${other}/trigger`, {
    triggerName: "user-message",
    input: { QUESTION: "What is this?", DOCUMENTS: files },
  });
  assert.equal(stolen.code, "INVALID_INPUT");
  // A token for the agent may use all of its sessions.
  const backend = new TestClient(url, await mint({}));
  assert.equal((await uploadFiles(backend, other, sampleFiles)).length, 3);
});
