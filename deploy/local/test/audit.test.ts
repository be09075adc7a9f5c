import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { record, until } from "@muster/testing";
import { auditActions, type ChainedFields, chainHash, chainStart } from "@muster/wire/audit";
import { test } from "vitest";
import { startTestServer } from "./support/server.ts";
import { echoAgent } from "./support/world.ts";

const page = readFileSync(resolve(import.meta.dirname, "../../../docs/audit.md"), "utf8");
const [recorded = "", unrecorded = ""] = page.split("## Requests without an entry");
const routePattern = /`((?:POST|PUT|PATCH|DELETE) [^`]+)`/g;
/** The routes of each action, as the documentation lists them. */
const routesOf = new Map(
  [...recorded.matchAll(/^\| `([a-z.-]+)` \|.*\| (.*) \|$/gm)].map(([, action = "", routes = ""]) => [
    action,
    [...routes.matchAll(routePattern)].map(([, route = ""]) => route),
  ]),
);
const actionOf = new Map([...routesOf].flatMap(([action, routes]) => routes.map((route) => [route, action])));
/** These need a turn or a run; tests of these make them. */
const madeElsewhere = new Set(
  ["approval.decide", "recording.delete"].flatMap((action) => routesOf.get(action) ?? []),
);

test("every change of an administrator has its entry, in a chain that shows every later change", async (t) => {
  const { url, key, client } = await startTestServer(t, {
    MUSTER_SECRETS_KEY: "ab".repeat(32),
  });
  const openapi = record((await client.json(200, "GET", "/openapi.json")).paths);
  const changing = Object.entries(openapi).flatMap(([path, item]) =>
    Object.keys(record(item))
      .filter((method) => ["post", "put", "patch", "delete"].includes(method))
      .map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ":$1")}`),
  );
  const listed = [
    ...actionOf.keys(),
    ...[...unrecorded.matchAll(routePattern)].map(([, route = ""]) => route),
  ];
  assert.deepEqual(
    changing.toSorted(),
    listed.toSorted(),
    "docs/audit.md lists each route that changes something",
  );
  assert.deepEqual(
    [...routesOf.keys()].filter((action) => !auditActions.some((known) => known === action)),
    [],
  );

  const made = new Map<string, string>();
  const send = async (method: string, path: string, body?: unknown, requestId?: string) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(requestId && { "x-request-id": requestId }),
        ...(body !== undefined && { "content-type": "application/json" }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${text}`);
    return record(JSON.parse(text));
  };
  /** Makes the change of a route, whose parameters have these values. */
  const change = (route: string, values: Record<string, unknown> = {}, body?: unknown) => {
    const [method = "", pattern = ""] = route.split(" ");
    const path = pattern.replace(/:(\w+)/g, (_, name: string) => String(values[name]));
    const requestId = `change-${made.size}`;
    made.set(route, requestId);
    return send(method, path, body, requestId);
  };
  const admin = "/api/admin";
  const { agentId } = await change("POST /api/agents", {}, echoAgent("echo"));
  await change("PATCH /api/agents/:id", { id: agentId }, { settings: { name: "Other" } });
  const { id: keyId } = await change(`POST ${admin}/keys`, {}, { name: "k", permissions: ["sessions"] });
  await change(`PATCH ${admin}/keys/:id`, { id: keyId }, { limits: { monthlyUsd: 1 } });
  await change(`DELETE ${admin}/keys/:id`, { id: keyId });
  const { jti } = await change("POST /api/tokens", {}, { agentId });
  await change("POST /api/tokens/revoke", {}, { jti });
  const loginId = await logInAndOut(url, key, made);
  const { id: projectId } = await change(`POST ${admin}/projects`, {}, { name: "Second" });
  await change(`PATCH ${admin}/projects/:id`, { id: "default" }, { name: "First" });
  const places = { projectId: "default", provider: "openai", host: "tools.example" };
  await change(`PUT ${admin}/projects/:projectId/provider-keys/:provider`, places, {
    key: "sk-secret-1234567890",
  });
  await change(`DELETE ${admin}/projects/:projectId/provider-keys/:provider`, places);
  await change(`PUT ${admin}/projects/:projectId/tool-secrets/:host`, places, {});
  await change(`DELETE ${admin}/projects/:projectId/tool-secrets/:host`, places);
  await change(`POST ${admin}/projects/:projectId/callback-secret`, places);
  const provider = {
    ...{ name: "CI", issuer: "https://ci.example", scope: { agentId } },
    conditions: [{ claim: "sub", equals: ["ci"] }],
  };
  const { id: providerId } = await change(`POST ${admin}/identity-providers`, {}, provider);
  await change(`PATCH ${admin}/identity-providers/:id`, { id: providerId }, { name: "CI 2" });
  await change(`DELETE ${admin}/identity-providers/:id`, { id: providerId });
  const mcpServer = { slug: "issues", url: "https://mcp.example" };
  const { id: mcpServerId } = await change(`POST ${admin}/mcp-servers`, {}, mcpServer);
  await change(`PATCH ${admin}/mcp-servers/:id`, { id: mcpServerId }, { enabled: false });
  await change(`DELETE ${admin}/mcp-servers/:id`, { id: mcpServerId });
  const webhook = { url: "https://hooks.example", events: ["thread.failed"] };
  const { id: webhookId } = await change(`POST ${admin}/webhooks`, {}, webhook);
  await change(`PATCH ${admin}/webhooks/:id`, { id: webhookId }, { enabled: false });
  await change(`POST ${admin}/webhooks/:id/rotate`, { id: webhookId });
  await change(`DELETE ${admin}/webhooks/:id`, { id: webhookId });
  const shared = { name: "Rack 2", kind: "dedicated", os: "linux" };
  const { id: computerId } = await change(`POST ${admin}/computers`, {}, shared);
  const tokens = `${admin}/computers/:id/tokens`;
  const { id: tokenId } = await change(`POST ${tokens}`, { id: computerId }, { name: "t" });
  await change(`DELETE ${tokens}/:tokenId`, { id: computerId, tokenId });
  const agents = `${admin}/workforce/agents`;
  const dialling = { name: "Lou", agentId, computer: { kind: "dedicated", os: "linux" } };
  const { agentId: hiredId } = await change(`POST ${agents}`, {}, dialling);
  await change(`PATCH ${agents}/:id`, { id: hiredId }, { paused: true });
  const { id: hiredKeyId } = await change(`POST ${agents}/:id/keys`, { id: hiredId }, { name: "k" });
  await change(`DELETE ${agents}/:id/keys/:keyId`, { id: hiredId, keyId: hiredKeyId });
  const { id: ownTokenId } = await change(
    `POST ${agents}/:id/computer-tokens`,
    { id: hiredId },
    { name: "t" },
  );
  await change(`DELETE ${agents}/:id/computer-tokens/:tokenId`, { id: hiredId, tokenId: ownTokenId });
  const hook = { name: "Pushes", verify: { type: "github", secret: "s".repeat(32) }, message: "Look" };
  const { id: hookId } = await change(`POST ${agents}/:id/hooks`, { id: hiredId }, hook);
  await change(`PATCH ${agents}/:id/hooks/:hookId`, { id: hiredId, hookId }, { enabled: false });
  await change(`DELETE ${agents}/:id/hooks/:hookId`, { id: hiredId, hookId });
  const schedules = `${agents}/:id/schedules`;
  const schedule = { name: "Nightly", cron: "0 3 * * *", timezone: "UTC", message: "Look" };
  const { id: scheduleId } = await change(`POST ${schedules}`, { id: hiredId }, schedule);
  const scheduled = { id: hiredId, scheduleId };
  await change(`PATCH ${schedules}/:scheduleId`, scheduled, { message: "Look again" });
  await change(`POST ${schedules}/:scheduleId/pause`, scheduled);
  await change(`POST ${schedules}/:scheduleId/resume`, scheduled);
  await change(`DELETE ${schedules}/:scheduleId`, scheduled);
  await change(`DELETE ${agents}/:id`, { id: hiredId });
  const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
  await change("DELETE /api/agent-sessions/:sessionId", { sessionId });
  await change("DELETE /api/agents/:id", { id: agentId });
  await change(`DELETE ${admin}/computers/:id`, { id: computerId });
  assert.deepEqual(
    [...made.keys(), ...madeElsewhere].toSorted(),
    [...actionOf.keys()].toSorted(),
    "this test makes each recorded change",
  );

  const exported = async (project = "default") => {
    const response = await fetch(`${url}${admin}/audit`, {
      headers: { authorization: `Bearer ${key}`, accept: "application/x-ndjson", "x-project-id": project },
    });
    assert.equal(response.status, 200);
    const text = await response.text();
    return text
      .split("\n")
      .filter(Boolean)
      .map((line): unknown => JSON.parse(line))
      .map(record);
  };
  const inBoth = async () => [...(await exported()), ...(await exported(String(projectId)))];
  let entries = await inBoth();
  const isThere = ([, requestId]: [string, string]) => entries.some((entry) => entry.requestId === requestId);
  await until("the log has every change", async () => {
    entries = await inBoth();
    return [...made].every(isThere);
  });
  for (const [route, requestId] of made) {
    const entry = entries.find(
      (found) => found.requestId === requestId && found.action === actionOf.get(route),
    );
    const { actor, outcome } = entry ?? assert.fail(`${route} has an entry of its action`);
    const isLogin = route.startsWith("DELETE /api/logins/");
    const by = isLogin ? { kind: "login", id: loginId } : { kind: "key", id: "key_bootstrap" };
    assert.deepEqual(record(actor), { ...by, ip: "127.0.0.1" }, route);
    assert.equal(outcome, "succeeded");
  }
  assert.ok(!JSON.stringify(entries).includes("sk-secret"));

  let hash = chainStart;
  for (const [index, line] of (await exported()).entries()) {
    const entry = fieldsOf(line);
    assert.equal(entry.number, index + 1);
    hash = chainHash(hash, entry);
    assert.equal(line.hash, hash);
  }
});

function fieldsOf(line: Record<string, unknown>): ChainedFields {
  // The server has made it: a wrong field gives a wrong hash.
  return line as unknown as ChainedFields;
}

/** Logs in and out again, and notes the ids of both requests. Returns the id of the login. */
async function logInAndOut(url: string, key: string, made: Map<string, string>): Promise<string> {
  const send = async (method: string, path: string, headers: Record<string, string>) => {
    const requestId = `change-${made.size}`;
    made.set(`${method} ${path}`, requestId);
    const response = await fetch(url + path, { method, headers: { ...headers, "x-request-id": requestId } });
    assert.ok(response.ok, `${method} ${path}`);
    return response;
  };
  const loggedIn = await send("POST", "/api/logins", { authorization: `Bearer ${key}` });
  const [cookie = ""] = loggedIn.headers.getSetCookie()[0]?.split(";") ?? [];
  await send("DELETE", "/api/logins/current", { cookie, "x-muster-login": "1" });
  return String(record(await loggedIn.json()).loginId);
}
