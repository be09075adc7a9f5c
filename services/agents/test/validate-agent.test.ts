import assert from "node:assert/strict";
import { Format } from "@muster/proto/agents";
import { Reason } from "@muster/proto/errors";
import { test } from "vitest";
import {
  byId,
  createAgent,
  definition,
  issuesOf,
  protocol,
  refused,
  startAgents,
} from "./support/start-agents.ts";

type Changes = Parameters<typeof definition>[0];

/** Definitions with diagnostics, and the codes that these must include. */
const flawed: Readonly<Record<string, { changes: Changes; codes: string[] }>> = {
  "wrong fields": {
    changes: { settings: { slug: "No Slug", name: " ", description: "\u0001", format: Format.UNSPECIFIED } },
    codes: ["INVALID_SLUG", "MISSING_FIELD", "INVALID_TEXT", "ENUM_MISMATCH"],
  },
  "a wrong field and a wrong block": {
    changes: {
      settings: { slug: "no slug", name: "A", format: Format.INTERACTIVE },
      protocol: protocol.replace("next-message", "nxt-message"),
    },
    codes: ["INVALID_SLUG", "UNKNOWN_BLOCK"],
  },
  "an empty protocol": { changes: { protocol: "" }, codes: ["WRONG_TYPE"] },
  "duplicate names and names that leave the folder": {
    changes: { prompts: ["system", "user", "user", "../up", ""].map((name) => ({ name, content: "" })) },
    codes: ["DUPLICATE_PROMPT", "INVALID_NAME"],
  },
  "more errors than a failure can contain": {
    changes: {
      protocol: `${protocol}input:\n${Array.from({ length: 400 }, (_, i) => `  VARIABLE_${i}: { type: "${"x".repeat(50)}" }\n`).join("")}`,
    },
    codes: ["UNKNOWN_TYPE", "LIMIT_EXCEEDED"],
  },
};

for (const [what, { changes, codes }] of Object.entries(flawed)) {
  test(`a definition with ${what} reports all issues, and a create is refused with the same`, async (t) => {
    const running = await startAgents(t);
    const request = { definition: definition(changes) };
    const { issues } = await running.client.validateAgent(request, running.as());
    for (const code of codes)
      assert.ok(
        issues.some((issue) => issue.code === code),
        code,
      );
    const places = issues.map(
      ({ path, message }) => `${path} ${/^Line \d+, column \d+/.exec(message) ?? ""}`,
    );
    assert.equal(new Set(places).size, places.length, "an issue is reported twice");
    const refusal = running.client.createAgent(request, running.as());
    await assert.rejects(refusal, refused(Reason.INVALID_DEFINITION));
    assert.deepEqual(await issuesOf(refusal), issues.map(plain));
    assert.equal(await running.db.collection("agent_versions").countDocuments(), 0);
  });
}

test("warnings and infos keep their severity, also in the responses of create and update", async (t) => {
  const running = await startAgents(t);
  const warned = protocol.replace("triggers:", "resources: { NOTE: { type: string } }\ntriggers:");
  const { issues } = await running.client.validateAgent(
    { definition: definition({ protocol: warned }) },
    running.as(),
  );
  const severities = issues.map(({ code, severity }) => [code, severity]);
  assert.ok(severities.some((found) => found.join() === "DEPRECATED_FIELD,warning"));
  const created = await running.client.createAgent(
    { definition: definition({ protocol: warned }) },
    running.as(),
  );
  assert.deepEqual(created.issues, issues);
  const agent = byId(created.agentId);
  const updated = await running.client.updateAgent({ agent, name: "New" }, running.as());
  assert.deepEqual(updated.issues, issues);
  const same = await running.client.updateAgent({ agent, name: "New" }, running.as());
  assert.deepEqual(same.issues, []);
});

test("a model that the catalog lacks is a warning", async (t) => {
  const running = await startAgents(t);
  const report = async (model: string) => {
    const changes = { protocol: protocol.replace("demo/echo", model) };
    const { issues } = await running.client.validateAgent({ definition: definition(changes) }, running.as());
    return issues.map(({ code, severity }) => `${code} ${severity}`);
  };
  assert.deepEqual(await report("openai/gpt-4o"), []);
  assert.deepEqual(await report("openai/gtp-4o"), ["UNKNOWN_MODEL warning"]);
});

test("a taken slug is not an issue, because it may be the agent's own", async (t) => {
  const running = await startAgents(t);
  await createAgent(running);
  const { issues } = await running.client.validateAgent({ definition: definition() }, running.as());
  assert.deepEqual(issues, []);
});

/** An issue in the form in which it is read from a failure. */
function plain(issue: {
  code: string;
  path: string;
  message: string;
  severity: string;
  suggestions: string[];
}) {
  const { code, path, message, severity, suggestions } = issue;
  return { code, path, message, severity, ...(suggestions.length === 0 ? {} : { suggestions }) };
}
