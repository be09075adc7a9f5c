import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { Reason } from "@muster/proto/errors";
import { rpcError } from "@muster/rpc";
import { createLogger } from "@muster/service";
import { newCredential } from "@muster/service/credentials";
import { until } from "@muster/testing";
import { describe, test } from "vitest";
import { agentBody, type Edge, makeKey, type ScriptedSessions, startEdge } from "./support/start-edge.ts";

const day = 86_400_000;
const minting = ["sessions", "mint-tokens"];

/** Two sessions, each of its own agent. */
function sessionsOf(agents: ReadonlyMap<string, string>): ScriptedSessions {
  return {
    locateSession: async ({ sessionId }) => {
      const agentId = agents.get(sessionId);
      if (agentId === undefined)
        throw rpcError(Reason.NOT_FOUND, "The session does not exist in this project.");
      return { agentId };
    },
    cancelExecution: async () => ({ cancelled: false }),
  };
}

async function start(t: Parameters<typeof startEdge>[0]) {
  const agents = new Map<string, string>();
  const edge = await startEdge(t, sessionsOf(agents), { authCacheMs: 600_000 });
  const [own, other] = [await createAgent(edge, "own"), await createAgent(edge, "other")];
  agents.set("ses_own", own).set("ses_other", other);
  return { edge, own, other };
}

async function createAgent(edge: Edge, slug: string, headers = {}): Promise<string> {
  const { status, json, text } = await edge.call("POST", "/api/agents", { body: agentBody(slug), headers });
  assert.equal(status, 201, text);
  return json.agentId;
}

const mint = (edge: Edge, body: unknown, key = edge.adminKey) =>
  edge.call("POST", "/api/tokens", { body, key });

async function minted(edge: Edge, body: unknown, key = edge.adminKey) {
  const { status, json, text } = await mint(edge, body, key);
  assert.equal(status, 201, text);
  return json as { token: string; jti: string; expiresAt: string };
}

const use = (edge: Edge, key: string, sessionId = "ses_own") =>
  edge.call("POST", `/api/agent-sessions/${sessionId}/cancel`, { key });

const revoke = (edge: Edge, body: unknown, key = edge.adminKey) =>
  edge.call("POST", "/api/tokens/revoke", { body, key });

describe("minting a token", () => {
  test("a token is minted with 201, works as a bearer token, and may not be cached by anyone", async (t) => {
    const { edge, own } = await start(t);
    const before = Date.now();
    const answer = await mint(edge, { agentId: own });
    assert.deepEqual([answer.status, answer.headers.get("cache-control")], [201, "no-store"]);
    const { token, jti, expiresAt } = answer.json;
    assert.deepEqual(Object.keys(answer.json).sort(), ["expiresAt", "jti", "token"]);
    assert.match(token, /^svc_et_[0-9a-z]{32}_[0-9A-Za-z]{6}$/);
    assert.match(jti, /^tok_/);
    const lifetimeMs = Date.parse(expiresAt) - before;
    assert.ok(lifetimeMs >= 3_600_000 && lifetimeMs < 3_660_000, expiresAt);
    assert.equal((await use(edge, token)).status, 200);
  });

  test("ttlSeconds must be a positive whole number, and a larger one is shortened to a day", async (t) => {
    const { edge, own } = await start(t);
    for (const ttlSeconds of [0, -1, 1.5, "60", null, true, [60]]) {
      const refused = await mint(edge, { agentId: own, ttlSeconds });
      assert.deepEqual([refused.status, refused.json.code], [400, "INVALID_REQUEST"], String(ttlSeconds));
      assert.equal(refused.json.issues[0].path, "ttlSeconds");
    }
    for (const ttlSeconds of [86_401, 2 ** 32, 2 ** 53, 1e300]) {
      const { expiresAt } = await minted(edge, { agentId: own, ttlSeconds });
      const lifetimeMs = Date.parse(expiresAt) - Date.now();
      assert.ok(lifetimeMs <= day && lifetimeMs > day - 60_000, expiresAt);
    }
    const { expiresAt } = await minted(edge, { agentId: own, ttlSeconds: 1 });
    assert.ok(Date.parse(expiresAt) - Date.now() <= 1_000);
  });

  test("a token never outlives the key that minted it", async (t) => {
    const { edge, own } = await start(t);
    const limit = new Date(Date.now() + 120_000).toISOString();
    const { key } = await makeKey(edge, { permissions: minting, expiresAt: limit });
    assert.equal((await minted(edge, { agentId: own }, key)).expiresAt, limit);
  });

  test("minting needs the permission mint-tokens, and no token mints or revokes", async (t) => {
    const { edge, own } = await start(t);
    const { key } = await makeKey(edge, { permissions: ["sessions", "agents", "workforce"] });
    const { token } = await minted(edge, { agentId: own });
    for (const credential of [key, token]) {
      const answers = [
        await mint(edge, { agentId: own }, credential),
        await revoke(edge, { token }, credential),
      ];
      for (const { status, json } of answers) {
        assert.deepEqual([status, json.code], [403, "FORBIDDEN"]);
        assert.match(json.error, /mint-tokens/);
      }
    }
  });

  test("a key without sessions mints no token, and the refusal says that the key lacks it", async (t) => {
    const { edge, own } = await start(t);
    for (const agentId of [undefined, own]) {
      const { key } = await makeKey(edge, { permissions: ["mint-tokens", "workforce"], agentId });
      for (const body of [{ agentId: own }, { agentId: own, sessionId: "ses_own" }]) {
        const { status, json } = await mint(edge, body, key);
        assert.deepEqual([status, json.code], [403, "FORBIDDEN"]);
        assert.match(json.error, /mint-tokens and sessions/);
      }
    }
  });

  test("a token approves only in a session, and only if its key has approve", async (t) => {
    const { edge, own } = await start(t);
    const { key: weak } = await makeKey(edge, { permissions: minting });
    const { key } = await makeKey(edge, { permissions: [...minting, "approve"], agentId: own });
    const wanted = { agentId: own, sessionId: "ses_own", approve: true };
    const forbidden = await mint(edge, wanted, weak);
    assert.deepEqual([forbidden.status, forbidden.json.code], [403, "FORBIDDEN"]);
    assert.match(forbidden.json.error, /approve/);
    for (const body of [
      { ...wanted, sessionId: undefined },
      { ...wanted, approve: "yes" },
    ]) {
      const refused = await mint(edge, body, key);
      assert.deepEqual([refused.status, refused.json.code], [400, "INVALID_REQUEST"], JSON.stringify(body));
      assert.equal(refused.json.issues[0].path, "approve");
    }
    const { token } = await minted(edge, wanted, key);
    assert.equal((await use(edge, token)).status, 200);
    assert.equal((await use(edge, token, "ses_other")).status, 403);
    await minted(edge, { ...wanted, approve: false }, weak);
  });

  test("a key without sessions still revokes tokens", async (t) => {
    const { edge, own } = await start(t);
    const { token, jti } = await minted(edge, { agentId: own });
    const { key } = await makeKey(edge, { permissions: ["mint-tokens"] });
    assert.deepEqual((await revoke(edge, { token }, key)).json, { revoked: true, jti });
  });

  test("an unknown agent and an unknown session are 404, like those of another project", async (t) => {
    const { edge, own } = await start(t);
    const { json: project } = await edge.call("POST", "/api/admin/projects", { body: { name: "p" } });
    const foreign = await createAgent(edge, "own", { "x-project-id": project.id });
    const answers = [
      await mint(edge, { agentId: "agt_none" }),
      await mint(edge, { agentId: foreign }),
      await mint(edge, { agentId: own, sessionId: "ses_none" }),
    ];
    for (const { status, json } of answers) assert.deepEqual([status, json.code], [404, "NOT_FOUND"]);
    assert.equal(answers[0]?.json.error, answers[1]?.json.error);
  });

  test("a session of another agent is 403, and one of the agent gives a token for that session only", async (t) => {
    const { edge, own } = await start(t);
    const refused = await mint(edge, { agentId: own, sessionId: "ses_other" });
    assert.deepEqual([refused.status, refused.json.code], [403, "FORBIDDEN"]);
    const { token } = await minted(edge, { agentId: own, sessionId: "ses_own" });
    assert.equal((await use(edge, token)).status, 200);
  });

  test("a key for one agent mints only for that agent, whatever it names", async (t) => {
    const { edge, own, other } = await start(t);
    const { key } = await makeKey(edge, { permissions: minting, agentId: own });
    await minted(edge, { agentId: own }, key);
    await minted(edge, { agentId: own, sessionId: "ses_own" }, key);
    for (const body of [
      { agentId: other },
      { agentId: "agt_none" },
      { agentId: other, sessionId: "ses_other" },
      { agentId: other, sessionId: "ses_own" },
      { agentId: own, sessionId: "ses_other" },
    ]) {
      const refused = await mint(edge, body, key);
      assert.deepEqual([refused.status, refused.json.code], [403, "FORBIDDEN"], JSON.stringify(body));
    }
  });
});

describe("secrecy", () => {
  test("no log line of minting, using, misusing and revoking contains a credential", async (t) => {
    const written: string[] = [];
    const destination = { write: (line: string) => void written.push(line) };
    const log = createLogger({ name: "test", level: "debug", destination });
    const agents = new Map<string, string>();
    const edge = await startEdge(t, sessionsOf(agents), {}, log);
    const own = await createAgent(edge, "own");
    const key = await makeKey(edge, { permissions: minting, agentId: own });
    const { token, jti } = await minted(edge, { agentId: own }, key.key);
    const wrong = newCredential("token", randomBytes);
    await use(edge, token);
    await use(edge, wrong);
    await use(edge, token, "ses_none");
    await mint(edge, { agentId: token, sessionId: token, ttlSeconds: token }, key.key);
    await edge.call("GET", `/api/agents/${token}?by=slug`, { key: token });
    await revoke(edge, { token: token.repeat(300) }, key.key);
    await revoke(edge, { token }, key.key);
    await until(async () => (await use(edge, token)).status === 401);
    await until(() => written.some((line) => line.includes(`"tokenId":"${jti}"`)));
    for (const secret of [token, key.key, wrong, edge.adminKey]) {
      assert.deepEqual(
        written.filter((line) => line.includes(secret.slice(10, 30))),
        [],
      );
    }
  });

  test("every invalid token gets the same 401 as a missing credential", async (t) => {
    const { edge, own } = await start(t);
    const expired = await minted(edge, { agentId: own, ttlSeconds: 1 });
    const revoked = await minted(edge, { agentId: own });
    await revoke(edge, { jti: revoked.jti });
    const dead = await makeKey(edge, { permissions: minting });
    const orphan = await minted(edge, { agentId: own }, dead.key);
    await edge.call("DELETE", `/api/admin/keys/${dead.id}`);
    await until(() => Date.now() >= Date.parse(expired.expiresAt));
    const bodyOf = async (headers: Record<string, string>) => {
      const answer = await edge.call("GET", "/api/agent-sessions/ses_own", { key: null, headers });
      const { requestId: _requestId, ...body } = answer.json;
      return { status: answer.status, challenge: answer.headers.get("www-authenticate"), body };
    };
    const missing = await bodyOf({});
    assert.equal(missing.status, 401);
    const good = (await minted(edge, { agentId: own })).token;
    for (const authorization of [
      `Bearer ${expired.token}`,
      `Bearer ${revoked.token}`,
      `Bearer ${orphan.token}`,
      `Bearer ${newCredential("token", randomBytes)}`,
      `Bearer ${good}0`,
      `Bearer ${good.toUpperCase()}`,
      `Bearer ${good} ${good}`,
      `Bearer ${good},${good}`,
      `Basic ${good}`,
      `Bearer ${"x".repeat(10_240)}`,
      `Bearer t\u00f6ken`,
      "Bearer",
      good,
    ]) {
      assert.deepEqual(await bodyOf({ authorization }), missing, authorization.slice(0, 60));
    }
  });
});

describe("revoking a token", () => {
  test("a token is revoked by itself or by its jti, again with the same result, and stops working at once", async (t) => {
    const { edge, own } = await start(t);
    for (const by of ["token", "jti"] as const) {
      const credential = await minted(edge, { agentId: own });
      assert.equal((await use(edge, credential.token)).status, 200);
      for (let i = 0; i < 2; i++) {
        const { status, json } = await revoke(edge, { [by]: credential[by] });
        assert.deepEqual([status, json], [200, { revoked: true, jti: credential.jti }]);
      }
      await until(async () => (await use(edge, credential.token)).status === 401);
    }
  });

  test("an unknown, expired or foreign token is not revoked, and all look the same", async (t) => {
    const { edge, own, other } = await start(t);
    const { json: project } = await edge.call("POST", "/api/admin/projects", { body: { name: "p" } });
    const theirs = await makeKey(edge, { permissions: minting, projectId: project.id });
    const { key: ofOther } = await makeKey(edge, { permissions: minting, agentId: other });
    const credential = await minted(edge, { agentId: own });
    const short = await minted(edge, { agentId: own, ttlSeconds: 1 });
    await until(() => Date.now() >= Date.parse(short.expiresAt));
    const cases: Array<[body: unknown, key?: string]> = [
      [{ token: newCredential("token", randomBytes) }],
      [{ jti: "tok_none" }],
      [{ token: short.token }],
      [{ jti: short.jti }],
      [{ token: credential.token }, theirs.key],
      [{ jti: credential.jti }, theirs.key],
      [{ token: credential.token }, ofOther],
    ];
    for (const [body, key] of cases) {
      const { status, json } = await revoke(edge, body, key);
      assert.deepEqual([status, json], [200, { revoked: false }], JSON.stringify(body));
    }
    assert.equal((await use(edge, credential.token)).status, 200);
  });

  test("a revocation of a text that is no token of this installation revokes nothing", async (t) => {
    const { edge, own } = await start(t);
    const { token, jti } = await minted(edge, { agentId: own });
    for (const text of [
      ` ${token}`,
      `Bearer ${token}`,
      `${token}\n`,
      `${token.slice(0, -1)}!`,
      token.slice(0, 20),
      "x",
      "svc_et_\u00e4",
      "x".repeat(10_240),
      jti,
      edge.adminKey,
    ]) {
      const { status, json } = await revoke(edge, { token: text });
      assert.deepEqual([status, json], [200, { revoked: false }], text.slice(0, 80));
    }
    assert.equal((await use(edge, token)).status, 200);
  });

  test("a revocation names exactly one token", async (t) => {
    const { edge } = await start(t);
    for (const body of [{}, { token: "a", jti: "b" }, { token: 7 }, { token: "" }, { jti: "" }]) {
      const { status, json } = await revoke(edge, body);
      assert.deepEqual([status, json.code], [400, "INVALID_REQUEST"], JSON.stringify(body));
    }
  });

  test("deleting a key stops the tokens that it minted", async (t) => {
    const { edge, own } = await start(t);
    const { id, key } = await makeKey(edge, { permissions: minting });
    const { token } = await minted(edge, { agentId: own }, key);
    const kept = await minted(edge, { agentId: own });
    assert.equal((await use(edge, token)).status, 200);
    await edge.call("DELETE", `/api/admin/keys/${id}`);
    await until(async () => (await use(edge, token)).status === 401);
    assert.equal((await use(edge, kept.token)).status, 200);
  });
});
