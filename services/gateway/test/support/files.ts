import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInProcessBus } from "@muster/events";
import { Reason, rpcError } from "@muster/rpc";
import { Secret, silentLogger } from "@muster/service";
import type { TestContext } from "vitest";
import type { GatewayConfig } from "../../src/config.ts";
import { makeKey, type ScriptedSessions, startEdge } from "./start-edge.ts";

/** A workforce agent that exists. */
export const agentId = "agt_lou";
/** Sign the URLs. */
export const keys = [new Secret("ab".repeat(32))];

/** A gateway whose session `ses_active` is active, and whose other sessions have expired, but for `ses_none`. */
export function startEdges(t: TestContext, changed: Partial<GatewayConfig>) {
  const sessions: ScriptedSessions = {
    getSession: async function* ({ sessionId }) {
      if (sessionId === "ses_none") throw rpcError(Reason.NOT_FOUND, "The session does not exist.");
      yield { session: { id: sessionId, active: sessionId === "ses_active" } };
    },
  };
  const workforce = { readHiredAgent: async () => ({}), getAgent: async () => ({}) };
  const bus = createInProcessBus({ log: silentLogger });
  return startEdge(t, sessions, changed, silentLogger, bus, workforce);
}

/** A gateway with files, and a key of a workforce agent. */
export async function startWithFiles(t: TestContext) {
  const directory = await mkdtemp(join(tmpdir(), "muster-gateway-files-"));
  t.onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const edge = await startEdges(t, { files: { directory, keys, keepDays: 30 } });
  const { key } = await makeKey(edge, { permissions: ["workforce"], agentId });
  const announce = (files: unknown) =>
    edge.call("POST", `/api/v1/workforce/agents/${agentId}/files`, { key, body: { files } });
  const issue = async (fields: Record<string, unknown> = {}) => {
    const answer = await announce([{ filename: "a.txt", mediaType: "text/plain", size: 5, ...fields }]);
    assert.equal(answer.status, 200, answer.text);
    const [file] = answer.json.files;
    const path = (url: string) => url.slice(edge.url.length);
    return { id: file.id, upload: path(file.uploadUrl), download: path(file.downloadUrl) };
  };
  const put = (path: string, raw: string | Uint8Array<ArrayBuffer>, type = "text/plain") =>
    edge.call("PUT", path, { key: null, raw, headers: { "content-type": type } });
  return { directory, edge, key, announce, issue, put };
}
