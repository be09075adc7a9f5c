import assert from "node:assert/strict";
import { gatewayDefaults } from "@muster/gateway";
import { startIssuer, TestClient, type TestIssuer } from "@muster/testing";
import { describe, type TestContext, test } from "vitest";
import { echoAgent, startWorld, type World } from "./support/world.ts";

const conditions = [{ claim: "sub", equals: ["ci"] }];
const providers = "/api/admin/identity-providers";
const trigger = { triggerName: "user-message", input: { USER_MESSAGE: "Hello ".repeat(1_000) } };

interface Setup {
  world: World;
  issuer: TestIssuer;
  agentId: string;
}

async function setUp(t: TestContext, options: Parameters<typeof startWorld>[1] = {}): Promise<Setup> {
  const issuer = await startIssuer(t);
  const world = await startWorld(t, { ...options, privateOrigins: [issuer.url] });
  const agentId = await world.client.field("agentId", 201, "POST", "/api/agents", echoAgent("one"));
  return { world, issuer, agentId };
}

async function register({ world, issuer }: Setup, fields: object, client = world.client) {
  const body = { name: "CI", issuer: issuer.url, conditions, ...fields };
  const provider = await client.json(201, "POST", providers, body);
  const id = String(provider.id);
  const sign = (claims: object = {}) => {
    const nowS = Math.floor(Date.now() / 1_000);
    const own = { iss: issuer.url, aud: provider.audience, sub: "ci", iat: nowS, exp: nowS + 600 };
    return issuer.sign({ ...own, ...claims });
  };
  return { id, provider, sign };
}

const clientWith = ({ world }: Setup, credential: string) => new TestClient(world.url, credential);

/** A stream that stays open for hours, because its reply has many words. */
async function openStream({ world }: Setup, credential: string, agentId: string) {
  const body = JSON.stringify({ agentId, trigger });
  const headers = { authorization: `Bearer ${credential}`, "content-type": "application/json" };
  const response = await fetch(`${world.url}/api/agent-sessions/start`, { method: "POST", headers, body });
  assert.equal(response.status, 200, response.status === 200 ? "" : await response.text());
  return response;
}

describe("a token of an identity provider, from end to end", () => {
  test("opens a session of its agent, talks to it and reads it", async (t) => {
    const setup = await setUp(t);
    const { sign } = await register(setup, { scope: { agentId: setup.agentId } });
    const client = clientWith(setup, await sign());
    const sessionId = await client.field("sessionId", 201, "POST", "/api/agent-sessions", {
      agentId: setup.agentId,
    });
    const events = await client.trigger(sessionId, trigger);
    assert.equal(events.at(-1)?.type, "finish");
    await client.json(200, "GET", `/api/agent-sessions/${sessionId}`);
  });

  test("that names its session in a claim uses only that one, and only with its agent", async (t) => {
    const setup = await setUp(t);
    const { world, agentId } = setup;
    const scope = { agentClaim: "agent", sessionClaim: "session" };
    const { sign } = await register(setup, { scope });
    const open = (agent: string) =>
      world.client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId: agent });
    const [sessionId, other] = [await open(agentId), await open(agentId)];
    const client = clientWith(setup, await sign({ agent: agentId, session: sessionId }));
    await client.json(200, "GET", `/api/agent-sessions/${sessionId}`);
    await client.json(403, "GET", `/api/agent-sessions/${other}`);
    await client.json(403, "POST", "/api/agent-sessions", { agentId });
    const otherAgentId = await world.client.field("agentId", 201, "POST", "/api/agents", echoAgent("two"));
    const mixed = clientWith(setup, await sign({ agent: otherAgentId, session: sessionId }));
    await mixed.json(404, "GET", `/api/agent-sessions/${sessionId}`);
  });

  test("that names an agent or session of another project finds neither", async (t) => {
    const setup = await setUp(t);
    const { world, agentId } = setup;
    const sessionId = await world.client.field("sessionId", 201, "POST", "/api/agent-sessions", { agentId });
    const project = await world.client.json(201, "POST", "/api/admin/projects", { name: "Other" });
    const { key } = await world.client.json(201, "POST", "/api/admin/keys", {
      ...{ name: "k", permissions: ["admin"], projectId: project.id },
    });
    const scope = { agentClaim: "agent", sessionClaim: "session" };
    const { sign } = await register(setup, { scope }, clientWith(setup, String(key)));
    const client = clientWith(setup, await sign({ agent: agentId, session: sessionId }));
    await client.json(404, "GET", `/api/agent-sessions/${sessionId}`);
    const { sign: signForAgent } = await register(
      setup,
      { scope: { agentClaim: "agent" } },
      clientWith(setup, String(key)),
    );
    const ofAgent = clientWith(setup, await signForAgent({ agent: agentId }));
    await ofAgent.json(404, "POST", "/api/agent-sessions", { agentId });
  });
});

describe("when an identity provider is deleted or changed", () => {
  for (const [name, change] of [
    ["is deleted", (client: TestClient, id: string) => client.json(200, "DELETE", `${providers}/${id}`)],
    [
      "gets a condition that the token does not fulfil",
      (client: TestClient, id: string) =>
        client.json(200, "PATCH", `${providers}/${id}`, { conditions: [{ claim: "sub", equals: ["x"] }] }),
    ],
  ] as const) {
    test(`the event alone ends open streams of its tokens once it ${name}, and its tokens are refused`, async (t) => {
      const setup = await setUp(t, {
        wordDelayMs: 10_000,
        gateway: { authCacheMs: 600_000, streams: { ...gatewayDefaults.streams, recheckMs: 600_000 } },
      });
      const { id, sign } = await register(setup, { scope: { agentId: setup.agentId } });
      const token = await sign();
      const stream = await openStream(setup, token, setup.agentId);
      await change(setup.world.client, id);
      const text = await stream.text();
      assert.match(text, /"code":"UNAUTHENTICATED"/);
      await clientWith(setup, token).json(401, "POST", "/api/agent-sessions", { agentId: setup.agentId });
    });
  }

  test("tokens of other identity providers keep working", async (t) => {
    const setup = await setUp(t);
    const { id } = await register(setup, { scope: { agentId: setup.agentId } });
    const { sign } = await register(setup, { scope: { agentId: setup.agentId } });
    await setup.world.client.json(200, "DELETE", `${providers}/${id}`);
    const client = clientWith(setup, await sign());
    await client.json(201, "POST", "/api/agent-sessions", { agentId: setup.agentId });
  });
});
