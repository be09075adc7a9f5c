import assert from "node:assert/strict";
import { Reason } from "@muster/proto/errors";
import { test } from "vitest";
import { byId, createAgent, protocol, refused, startAgents } from "./support/start-agents.ts";

test("ListAgentVersions returns the changes of each version, newest first", async (t) => {
  const running = await startAgents(t);
  const agent = byId(await createAgent(running));
  await running.client.updateAgent({ agent, name: "New", protocol: `${protocol}\n` }, running.as());
  const references = { references: [{ name: "faq", description: "Questions", content: "" }] };
  await running.client.updateAgent({ agent, references }, running.as());
  const { versions } = await running.client.listAgentVersions({ agent }, running.as());
  assert.deepEqual(
    versions.map(({ version, changes }) => [version, changes]),
    [
      [3, ["references"]],
      [2, ["settings", "protocol"]],
      [1, ["created"]],
    ],
  );
  assert.ok(versions.every(({ createdAt }) => createdAt !== undefined));
});

test("ListAgentVersions does not find another project's agent", async (t) => {
  const running = await startAgents(t);
  const agent = byId(await createAgent(running));
  const other = running.as({ projectId: "prj_two" });
  await assert.rejects(running.client.listAgentVersions({ agent }, other), refused(Reason.NOT_FOUND));
});
