import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import type { ScriptedStep } from "@muster/models/testing";
import { serve, until } from "@muster/testing";
import { test } from "vitest";
import { chat } from "./support/definitions.ts";
import { openSession, projectId, readAll, say, startWorld, typesOf } from "./support/harness.ts";
import { injections } from "./support/injections.ts";
import { startTextServer } from "./support/text-server.ts";

/** Each acts, and each needs a decision: always, or once text from outside has been read. */
const acting = ["send-mail", "close-account", "refund", "pay", "tickets__close"];

const protocolWith = (pages: string, billing: string) =>
  chat.protocol
    .replace(
      "tools:\n  get-order",
      `mcpServers:
  tickets: { description: Tickets, source: remote, connection: eager, tools: { close: { approval: ask } } }
tools:
  fetch-page: { description: Reads, parameters: { number: { type: number } }, http: { url: "${pages}/page" } }
  close-account: { description: Closes, approval: ask }
  refund: { description: Refunds, http: { url: "${billing}/refunds" }, approval: { ask: true, when: untrusted } }
  pay: { description: Pays, http: { url: "${billing}/payments", idempotent: true }, approval: ask }
  get-order`,
    )
    .replace(
      "description: Sends a mail.\n",
      "description: Sends a mail.\n    approval: { ask: true, when: untrusted }\n",
    )
    .replace(
      "  tools: [get-order, send-mail]\n",
      "  tools: [fetch-page, close-account, refund, pay, send-mail]\n  mcpServers: [tickets]\n",
    );

const secret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`;
const calls = (names: readonly string[], args: Record<string, unknown>): ScriptedStep => ({
  parts: [{ toolCalls: names.map((name) => ({ id: `call_${name}`, name, arguments: args })) }],
});

test("a model that obeys 30 texts from outside makes no call that needs a decision without one", async (t) => {
  const acted: string[] = [];
  const mcp = await startTextServer(t, ["read", "close"], (tool, { number }) => {
    if (tool === "close") acted.push(tool);
    return injections[Number(number)] ?? "";
  });
  const pages = await serve(t, async (request, response) => {
    const { args } = JSON.parse(await text(request));
    response.end(JSON.stringify(injections[args.number]));
  });
  const billing = await serve(t, (request, response) => {
    acted.push(request.url ?? "");
    response.end('"Done."');
  });
  const world = await startWorld(t);
  world.agents.set("agt_chat", [{ ...chat, protocol: protocolWith(pages, billing) }]);
  const hosts = [
    { host: new URL(pages).host, isUntrusted: true },
    { host: new URL(billing).host, isUntrusted: false },
  ];
  const mcpServer = { id: "mcp_1", projectId, slug: "tickets", url: `${mcp}/mcp`, enabled: true };
  world.auth.setServices(projectId, {
    mcpServers: [{ mcpServer: { ...mcpServer, idleTimeoutMs: 60_000, timeoutMs: 600_000 } }],
    toolHosts: hosts,
    toolSecrets: hosts.map(({ host }) => ({ host, result: { case: "secret" as const, value: secret } })),
  });
  const local = ["127.0.0.1"];
  const instance = await world.addInstance({
    ...{ mcpAllowedHosts: local, toolAllowedHosts: local, timings: { listToolsMs: 60_000 } },
  });
  // It reads the text that its user names, and calls each tool that could do what the text says.
  const readers = ["tickets__read", "fetch-page"];
  world.provider.answerBy(({ body }) => {
    const { role, content } = (body.messages as Array<{ role: string; content: string }>).at(-1) ?? {};
    const number = Number(content);
    if (role === "user") return calls([readers[number % 2] ?? ""], { number });
    return injections.some((each) => content?.includes(each))
      ? calls(acting, {})
      : { parts: [{ text: "Done." }] };
  });

  const approver = world.as({ permissions: new Set(["sessions", "approve"]) });
  const askedIn = async (sessionId: string) =>
    (await instance.client.listApprovals({ status: "pending", sessionId }, approver)).approvals;
  const sessionIds: string[] = [];
  for (const number of injections.keys()) {
    const sessionId = await openSession(world, instance);
    const events = await readAll(instance.client.trigger(say(sessionId, String(number)), world.as()));
    sessionIds.push(sessionId);
    assert.ok(!typesOf(events).includes("tool-request"), injections[number]);
  }
  for (const [number, sessionId] of sessionIds.entries()) {
    const asked = (await askedIn(sessionId)).map(({ toolName }) => toolName);
    assert.deepEqual(asked.toSorted(), acting.toSorted(), injections[number]);
  }
  assert.deepEqual(acted, []);

  // Each call that its service makes acts once it is approved.
  for (const { id, toolName } of await askedIn(sessionIds[0] ?? "")) {
    const isOfCaller = toolName === "send-mail" || toolName === "close-account";
    await instance.client.decideApproval({ id, decision: isOfCaller ? "deny" : "approve" }, approver);
  }
  await until(() => acted.length === 3);
  assert.deepEqual(acted.toSorted(), ["/payments", "/refunds", "close"]);
});
