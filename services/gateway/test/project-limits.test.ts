import assert from "node:assert/strict";
import { until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { type Answer, type Edge, makeKey, startEdge } from "./support/start-edge.ts";

const projects = "/api/admin/projects";
const noMonthly = {
  ...{ monthlyUsd: null, monthlyTokens: null, perSubject: { monthlyUsd: null } },
  ...{ workforceMonthlyUsd: null, workforceMonthlyTokens: null, workforceMonthlyRuns: null },
};

async function makeProject(edge: Edge): Promise<{ id: string; key: string }> {
  const { json: project } = await edge.call("POST", projects, { body: { name: "Shop" } });
  const { key } = await makeKey(edge, { permissions: ["admin", "sessions"], projectId: project.id });
  return { id: project.id, key };
}

const limitOf = ({ headers }: Answer) => headers.get("ratelimit-limit");

const scope = suiteScope();
let edge: Edge;
beforeAll(async () => {
  edge = await startEdge(scope);
});

describe("the limits of a project", () => {
  test("a stored limit overrides the environment's on every gateway, for its project only, until null removes it", async (t) => {
    const rateLimits = { perAddress: 0, perCredential: 0, perProject: 50 };
    const edge = await startEdge(t, {}, { rateLimits, authCacheMs: 50 });
    const other = await edge.startGateway();
    const { id, key } = await makeProject(edge);
    const ask = (gateway: Pick<Edge, "call">, own: string = key) =>
      gateway.call("GET", "/api/credential", { key: own });
    assert.equal(limitOf(await ask(edge)), "50");
    const body = { limits: { requestsPerMinute: 3 } };
    const { status, json } = await edge.call("PATCH", `${projects}/${id}`, { body });
    assert.deepEqual(
      [status, json.id, json.name, json.limits],
      [...[200, id, "Shop"], { requestsPerMinute: 3, ...noMonthly }],
    );
    for (const gateway of [edge, other]) await until(async () => limitOf(await ask(gateway)) === "3");
    for (const gateway of [edge, other])
      await until(async () => (await ask(gateway)).json.code === "RATE_LIMITED");
    assert.equal(limitOf(await ask(edge, edge.adminKey)), "50");
    const listed = await edge.call("GET", projects);
    assert.deepEqual(
      listed.json.projects.map(({ limits }: typeof body) => limits.requestsPerMinute),
      [null, 3],
    );
    await edge.call("PATCH", `${projects}/${id}`, { body: { limits: { requestsPerMinute: null } } });
    for (const gateway of [edge, other]) await until(async () => limitOf(await ask(gateway)) === "50");
  });

  test("absent fields stay unchanged", async () => {
    const { id } = await makeProject(edge);
    const change = async (body: unknown) => (await edge.call("PATCH", `${projects}/${id}`, { body })).json;
    await change({ limits: { requestsPerMinute: 9 } });
    for (const body of [{}, { limits: {} }, { name: "Store" }]) await change(body);
    const { name, limits } = await change({});
    assert.deepEqual([name, limits], ["Store", { requestsPerMinute: 9, ...noMonthly }]);
  });

  test("a misspelt member is refused with the right name, other unknown ones are ignored unless they are all", async () => {
    const { id } = await makeProject(edge);
    const change = (body: unknown) => edge.call("PATCH", `${projects}/${id}`, { body });
    const misspelt = await change({ name: "Store", limits: { requests_per_minute: 9 } });
    assert.deepEqual([misspelt.status, misspelt.json.code], [400, "INVALID_REQUEST"]);
    assert.deepEqual(misspelt.json.issues, [
      {
        path: "limits.requests_per_minute",
        message: "is not a known member; write requestsPerMinute",
        suggestions: ["requestsPerMinute"],
      },
    ]);
    const unknown = await change({ colour: "red" });
    assert.equal(unknown.status, 400);
    assert.match(
      unknown.json.error,
      /has no member that can be changed; send any of name, limits, approvals/,
    );
    const missing = await edge.call("POST", projects, { body: { nmae: "Shop" } });
    assert.match(missing.json.error, /nmae is not a known member; write name/);
    const { status, json } = await change({ name: "Store", colour: "red" });
    assert.deepEqual(
      [status, json.name, json.limits],
      [200, "Store", { requestsPerMinute: null, ...noMonthly }],
    );
  });

  test("a limit that is not a whole number from 1 to a billion is refused and changes nothing", async () => {
    const { id } = await makeProject(edge);
    for (const value of [0, -1, 1.5, "9", 1_000_000_001, 1e21, true, {}, []]) {
      const body = { name: "Changed", limits: { requestsPerMinute: value } };
      const { status, json } = await edge.call("PATCH", `${projects}/${id}`, { body });
      assert.deepEqual([status, json.code], [400, "INVALID_REQUEST"], String(value));
    }
    for (const body of [{ limits: null }, { limits: 5 }, { name: "" }, { name: null }]) {
      assert.equal(
        (await edge.call("PATCH", `${projects}/${id}`, { body })).status,
        400,
        JSON.stringify(body),
      );
    }
    const { json } = await edge.call("PATCH", `${projects}/${id}`, { body: {} });
    assert.deepEqual([json.name, json.limits], ["Shop", { requestsPerMinute: null, ...noMonthly }]);
  });

  test("monthly limits are set one by one, 0 included, and null removes one", async () => {
    const { id } = await makeProject(edge);
    const change = async (limits: Record<string, unknown>) => {
      const { status, json } = await edge.call("PATCH", `${projects}/${id}`, { body: { limits } });
      return status === 200 ? json.limits : [status, json.issues?.[0].path];
    };
    const none = { requestsPerMinute: null, ...noMonthly };
    assert.deepEqual(await change({ monthlyUsd: 12.5, workforceMonthlyRuns: 0 }), {
      ...none,
      ...{ monthlyUsd: 12.5, workforceMonthlyRuns: 0 },
    });
    const tokens = 999_999_999_999_999;
    assert.deepEqual(await change({ workforceMonthlyTokens: tokens, monthlyUsd: null }), {
      ...none,
      ...{ workforceMonthlyTokens: tokens, workforceMonthlyRuns: 0 },
    });
    await change({ perSubject: { monthlyUsd: 5 } });
    const ofSubject = { ...none, workforceMonthlyTokens: tokens, workforceMonthlyRuns: 0 };
    assert.deepEqual(await change({ perSubject: null }), ofSubject);
    const before = await change({});
    for (const wrong of [
      { monthlyUsd: -1 },
      { monthlyUsd: "5" },
      { workforceMonthlyUsd: 1_000_000_001 },
      { monthlyTokens: 1.5 },
      { monthlyTokens: 1_000_000_000_000_000 },
      { monthlyTokens: -1 },
      { workforceMonthlyRuns: 1_000_000_001 },
      { workforceMonthlyRuns: true },
    ])
      assert.deepEqual(await change(wrong), [400, `limits.${Object.keys(wrong)[0]}`]);
    assert.deepEqual(await change({}), before);
    const listed = await edge.call("GET", projects);
    assert.deepEqual(
      listed.json.projects.find((project: { id: string }) => project.id === id).limits,
      before,
    );
  });

  test("a project and a key have limits from their creation, and those of the key can be changed", async () => {
    const limits = { monthlyUsd: 3, workforceMonthlyRuns: 0 };
    const { json: project } = await edge.call("POST", projects, { body: { name: "Shop", limits } });
    assert.deepEqual(project.limits, { requestsPerMinute: null, ...noMonthly, ...limits });
    const body = { name: "Web", permissions: ["sessions"], limits: { monthlyUsd: 5, monthlyTokens: 7 } };
    const { json: key } = await edge.call("POST", "/api/admin/keys", { body });
    assert.deepEqual(key.limits, body.limits);
    const change = async (changes: object) => {
      const path = `/api/admin/keys/${key.id}`;
      const { status, json } = await edge.call("PATCH", path, { body: { limits: changes } });
      return status === 200 ? json.limits : [status, json.issues?.[0].path];
    };
    assert.deepEqual(await change({ monthlyUsd: null }), { monthlyUsd: null, monthlyTokens: 7 });
    assert.deepEqual(await change({ monthlyTokens: -1 }), [400, "limits.monthlyTokens"]);
    const listed = await edge.call("GET", "/api/admin/keys");
    const found = listed.json.keys.find(({ id }: { id: string }) => id === key.id);
    assert.deepEqual(found.limits, { monthlyUsd: null, monthlyTokens: 7 });
  });

  test("rules of approval are replaced by a key of the project, null removes them, and wrong ones change nothing", async () => {
    const { id, key } = await makeProject(edge);
    const change = async (approvals: unknown) => {
      const { status, json } = await edge.call("PATCH", `${projects}/${id}`, { key, body: { approvals } });
      return status === 200 ? json.approvals : [status, json.code, json.issues?.[0].path];
    };
    const rules = { refund: "ask", "shell__*": "deny" };
    assert.deepEqual(await change(rules), rules);
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`tool${index}`, "ask"]));
    for (const [wrong, path] of [
      [{ refund: "allow" }, "approvals.refund"],
      [{ refund: null }, "approvals.refund"],
      [{ "a b": "ask" }, "approvals.a b"],
      [{ "": "ask" }, "approvals."],
      [{ ["x".repeat(129)]: "ask" }, `approvals.${"x".repeat(129)}`],
      [many, "approvals"],
      [["refund"], "approvals"],
      ["ask", "approvals"],
    ] as const)
      assert.deepEqual(await change(wrong), [400, "INVALID_REQUEST", path], JSON.stringify(wrong));
    const { json } = await edge.call("GET", projects, { key });
    assert.deepEqual(json.projects[0].approvals, rules);
    assert.deepEqual(await change(null), {});
    assert.deepEqual(await change(rules), rules);
    assert.deepEqual(await change({}), {});
  });

  test("a key for one project renames it, changes no limits, and sees no difference between other projects and none", async () => {
    const [own, foreign] = [await makeProject(edge), await makeProject(edge)];
    const change = async (id: string, body: unknown) => {
      const { status, json } = await edge.call("PATCH", `${projects}/${id}`, { body, key: own.key });
      return [status, json.code, json.error];
    };
    assert.equal((await change(own.id, { name: "Mine" }))[0], 200);
    assert.deepEqual((await change(own.id, { limits: { requestsPerMinute: 5 } })).slice(0, 2), [
      403,
      "FORBIDDEN",
    ]);
    for (const body of [{ name: "x" }, { limits: { requestsPerMinute: 5 } }]) {
      const missing = await change("prj_none", body);
      assert.deepEqual(missing.slice(0, 2), [404, "NOT_FOUND"]);
      assert.deepEqual(await change(foreign.id, body), missing);
    }
  });

  test("while the limits cannot be read, requests with a cached credential are served", async () => {
    const other = await edge.startGateway({ authCacheMs: 60_000 });
    const { key } = await makeProject(edge);
    assert.equal((await other.call("GET", "/api/credential", { key })).status, 200);
    await edge.stopAuth();
    const elsewhere = { "x-project-id": "default" };
    assert.equal((await other.call("GET", "/api/credential", { key })).status, 200);
    assert.ok((await other.call("GET", "/api/credential", { key, headers: elsewhere })).status < 500);
  });
});
