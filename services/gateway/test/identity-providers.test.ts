import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { agentBody, type Edge, type Json, startEdge } from "./support/start-edge.ts";

const path = "/api/admin/identity-providers";
const conditions = [{ claim: "sub", equals: ["ci"] }];

async function setUp(t: Parameters<typeof startEdge>[0]) {
  const edge = await startEdge(t, {
    locateSession: async ({ sessionId }) => ({ agentId: sessionId === "ses_other" ? "agt_other" : agentId }),
  });
  const agentId = String((await edge.call("POST", "/api/agents", { body: agentBody("echo") })).json.agentId);
  const body = { name: "CI", issuer: "https://idp.example", conditions, scope: { agentId } };
  return { edge, agentId, body };
}

async function create(edge: Edge, body: unknown): Promise<Json> {
  const { status, json, text } = await edge.call("POST", path, { body });
  assert.equal(status, 201, text);
  return json;
}

describe("the identity providers of a project", () => {
  test("one is created with defaults, read, listed, changed and deleted twice", async (t) => {
    const { edge, agentId, body } = await setUp(t);
    const made = await create(edge, body);
    const { id, createdAt } = made;
    assert.match(id, /^idp_[0-9a-z]{30}$/);
    assert.deepEqual(made, {
      ...body,
      ...{ id, projectId: "default", audience: `muster:${id}`, jwksUri: null },
      ...{ algorithms: ["RS256", "ES256"], maxLifetimeSeconds: 3_600, createdAt, updatedAt: createdAt },
      ...{ revision: 1, managed: false },
    });
    assert.deepEqual((await edge.call("GET", `${path}/${id}`)).json, made);
    assert.deepEqual((await edge.call("GET", path)).json, { identityProviders: [made] });
    const changes = {
      ...{ name: "Other", jwksUri: "https://keys.example/x", algorithms: ["EdDSA"], maxLifetimeSeconds: 60 },
      ...{
        conditions: [{ claim: "ref", startsWith: "refs/" }],
        scope: { agentClaim: "a", sessionClaim: "s" },
      },
    };
    const { status, json } = await edge.call("PATCH", `${path}/${id}`, { body: changes });
    assert.equal(status, 200);
    assert.deepEqual(json, { ...made, ...changes, revision: 2, updatedAt: json.updatedAt });
    const back = (await edge.call("PATCH", `${path}/${id}`, { body: { jwksUri: null } })).json;
    assert.deepEqual(back, { ...json, jwksUri: null, revision: 3, updatedAt: back.updatedAt });
    const unchanged = (await edge.call("PATCH", `${path}/${id}`, { body: {} })).json;
    assert.deepEqual(unchanged, back);
    const fixed = { scope: { agentId, sessionId: "ses_1" } };
    assert.deepEqual((await edge.call("PATCH", `${path}/${id}`, { body: fixed })).json.scope, fixed.scope);
    for (let times = 0; times < 2; times++)
      assert.deepEqual((await edge.call("DELETE", `${path}/${id}`)).json, { id, deleted: true });
    for (const method of ["GET", "PATCH"])
      assert.equal(
        (await edge.call(method, `${path}/${id}`, method === "GET" ? {} : { body: {} })).status,
        404,
      );
    assert.deepEqual((await edge.call("GET", path)).json, { identityProviders: [] });
  });

  const long = "x".repeat(501);
  /** Each with the path of the first issue. */
  const wrong: Array<[change: Record<string, unknown>, issue: string]> = [
    [{ name: "" }, "name"],
    [{ name: "a\u0000b" }, "name"],
    [{ name: 7 }, "name"],
    [{ issuer: "" }, "issuer"],
    [{ issuer: "http://idp.example" }, "issuer"],
    [{ issuer: "https://127.0.0.1" }, "issuer"],
    [{ issuer: "https://[::ffff:10.0.0.1]" }, "issuer"],
    [{ issuer: "https://user:pw@idp.example" }, "issuer"],
    [{ issuer: "https://idp.example?x" }, "issuer"],
    [{ issuer: "https://idp.example#x" }, "issuer"],
    [{ issuer: "https://idp.example:22" }, "issuer"],
    [{ issuer: "idp.example" }, "issuer"],
    [{ issuer: "https://idp.example/ü" }, "issuer"],
    [{ issuer: `https://idp.example/${long}` }, "issuer"],
    [{ jwksUri: "http://idp.example/keys" }, "jwksUri"],
    [{ jwksUri: "https://169.254.169.254/keys" }, "jwksUri"],
    [{ jwksUri: "" }, "jwksUri"],
    [{ jwksUri: "file:///etc/passwd" }, "jwksUri"],
    [{ algorithms: [] }, "algorithms"],
    [{ algorithms: ["HS256"] }, "algorithms.0"],
    [{ algorithms: ["RS256", "none"] }, "algorithms.1"],
    [{ maxLifetimeSeconds: 59 }, "maxLifetimeSeconds"],
    [{ maxLifetimeSeconds: 86_401 }, "maxLifetimeSeconds"],
    [{ maxLifetimeSeconds: 60.5 }, "maxLifetimeSeconds"],
    [{ maxLifetimeSeconds: "60" }, "maxLifetimeSeconds"],
    [{ conditions: [] }, "conditions"],
    [{ conditions: undefined }, "conditions"],
    [
      { conditions: Array.from({ length: 21 }, (_, claim) => ({ claim: `${claim}`, equals: ["x"] })) },
      "conditions",
    ],
    [{ conditions: [{ claim: "a" }] }, "conditions.0.equals"],
    [{ conditions: [{ claim: "a", equals: ["x"], startsWith: "x" }] }, "conditions.0.equals"],
    [{ conditions: [{ claim: "a", equals: [] }] }, "conditions.0.equals"],
    [{ conditions: [{ claim: "a", equals: [""] }] }, "conditions.0.equals.0"],
    [{ conditions: [{ claim: "a", startsWith: "" }] }, "conditions.0.startsWith"],
    [{ conditions: [{ claim: "", equals: ["x"] }] }, "conditions.0.claim"],
    [{ conditions: [...conditions, ...conditions] }, "conditions.1.claim"],
    [{ conditions: [{ claim: "a", equals: [long] }] }, "conditions.0.equals.0"],
    [{ scope: undefined }, "scope"],
    [{ scope: {} }, "scope.agentId"],
    [{ scope: { sessionClaim: "s" } }, "scope.agentId"],
    [{ scope: { agentId: "agt_none" } }, "scope.agentId"],
    [{ scope: { agentClaim: "" } }, "scope.agentClaim"],
    [{ scope: { agentClaim: "a", sessionId: "ses_1" } }, "scope.sessionId"],
  ];
  test("a wrong field is 400 with its path, when creating and when changing, and stores nothing", async (t) => {
    const { edge, body } = await setUp(t);
    const stored = await create(edge, body);
    const answer = async (method: string, to: string, sent: unknown) => {
      const { status, json } = await edge.call(method, to, { body: sent });
      return [status, json.code, json.issues?.[0]?.path];
    };
    for (const [change, issue] of wrong) {
      const expected = [400, "INVALID_REQUEST", issue];
      const name = JSON.stringify(change).slice(0, 90);
      assert.deepEqual(await answer("POST", path, { ...body, ...change }), expected, name);
      const isOfCreate = Object.values(change).includes(undefined) || issue === "issuer";
      if (!isOfCreate)
        assert.deepEqual(await answer("PATCH", `${path}/${stored.id}`, change), expected, name);
    }
    assert.deepEqual((await edge.call("GET", path)).json, { identityProviders: [stored] });
  });

  test("two agents, two sessions, and a session of another agent are 400", async (t) => {
    const { edge, agentId, body } = await setUp(t);
    for (const [scope, issue] of [
      [{ agentId, agentClaim: "a" }, "scope.agentId"],
      [{ agentId, sessionId: "ses_1", sessionClaim: "s" }, "scope.sessionId"],
      [{ agentId, sessionId: "ses_other" }, "scope.sessionId"],
    ] as const) {
      const { status, json } = await edge.call("POST", path, { body: { ...body, scope } });
      assert.deepEqual([status, json.issues[0].path], [400, issue]);
    }
  });

  test("an issuer that is not a URL needs the address of its keys, now and later", async (t) => {
    const { edge, body } = await setUp(t);
    const named = { ...body, issuer: "kubernetes/serviceaccount", jwksUri: "https://keys.example/jwks" };
    const { id } = await create(edge, named);
    const { status, json } = await edge.call("PATCH", `${path}/${id}`, { body: { jwksUri: null } });
    assert.deepEqual([status, json.issues[0].path], [400, "jwksUri"]);
  });

  test("a project has at most 50, and another project counts for itself", async (t) => {
    const { edge, body } = await setUp(t);
    const scope = { agentClaim: "agent" };
    for (let index = 0; index < 50; index++) await create(edge, { ...body, scope });
    const beyond = await edge.call("POST", path, { body: { ...body, scope } });
    assert.deepEqual([beyond.status, beyond.json.code], [400, "INVALID_REQUEST"]);
    assert.match(beyond.json.error, /50 identity providers/);
    const { id: other } = (await edge.call("POST", "/api/admin/projects", { body: { name: "p" } })).json;
    const inOther = { body: { ...body, scope }, headers: { "x-project-id": other } };
    assert.equal((await edge.call("POST", path, inOther)).json.projectId, other);
  });
});
