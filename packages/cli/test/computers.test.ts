import assert from "node:assert/strict";
import { join } from "node:path";
import { serve, type TestScope, temporaryDirectory } from "@muster/testing";
import { test } from "vitest";
import { muster as runMuster } from "./support/muster.ts";

const computer = {
  id: "cmp_1",
  name: "Builder",
  kind: "dedicated",
  os: "linux",
  state: "down",
  createdAt: "2026-01-01T00:00:00Z",
};
const token = { id: "key_1", name: "computer", createdAt: "2026-01-01T00:00:00Z", expiresAt: null };
const agent = {
  ...{
    agentId: "agt_1",
    name: "Lou",
    slug: "lou",
    status: "idle",
    queuedThreads: 0,
    createdAt: "2026-01-01T00:00:00Z",
  },
  ...{
    computer: { kind: "mac", os: "macos", state: "none" },
    definition: { slug: "log-analyst" },
    definitionVersion: 1,
  },
};

/** A server that responds to each route as the API does, and records the requests. */
async function startServer(t: TestScope) {
  const requests: string[] = [];
  const computers = [computer, { ...computer, id: "cmp_2", name: "Laptop", kind: "cli", state: "none" }];
  const answers: Record<string, [status: number, body?: object]> = {
    "POST /api/admin/computers": [201, computer],
    "GET /api/admin/computers": [200, { computers, nextCursor: null }],
    "DELETE /api/admin/computers/cmp_1": [204],
    "POST /api/admin/computers/cmp_1/tokens": [201, { ...token, token: "svc_cmp_s", computerId: "cmp_1" }],
    "GET /api/admin/computers/cmp_1/tokens": [200, { tokens: [token] }],
    "DELETE /api/admin/computers/cmp_1/tokens/key_1": [204],
    "GET /api/admin/workforce/agents": [200, { agents: [agent], nextCursor: null }],
    "POST /api/admin/workforce/agents": [201, { ...agent, key: "svc_agt_k" }],
    "POST /api/admin/workforce/agents/agt_1/computer-tokens": [
      201,
      { ...token, token: "svc_cmp_a", computerId: "cmp_9" },
    ],
    ...{
      "GET /healthz": [200, {}],
      "GET /readyz": [200, {}],
      "GET /openapi.json": [200, { info: { version: "1" } }],
    },
    "GET /api/credential": [200, { permissions: ["workforce"], projectId: "default" }],
    "GET /api/providers": [200, { providers: [] }],
  };
  const url = await serve(t, async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += chunk;
    const route = `${request.method} ${request.url?.split("?")[0]}`;
    requests.push(body === "" ? route : `${route} ${body}`);
    const [status, answer] = answers[route] ?? [404, { error: "there is nothing", code: "NOT_FOUND" }];
    response.writeHead(status, { "content-type": "application/json" }).end(answer && JSON.stringify(answer));
  });
  const env = { MUSTER_URL: url, MUSTER_API_KEY: "svc_sk_x" };
  const muster = (...args: string[]) => runMuster(args, { env });
  return { muster, requests, url };
}

test("muster computers creates, lists and deletes shared computers and their tokens", async (t) => {
  const { muster, requests } = await startServer(t);
  const created = await muster("computers", "create", "Builder");
  assert.deepEqual([created.code, created.out], [0, "Created Builder (cmp_1).\n"]);
  assert.match(created.err, /computers tokens create cmp_1\n.*--computer-id cmp_1\n$/);
  assert.equal(requests[0], 'POST /api/admin/computers {"name":"Builder","kind":"dedicated","os":"linux"}');
  assert.match((await muster("computers", "list")).out, /^cmp_1 +Builder +dedicated +linux +down +never$/m);
  const made = await muster("computers", "tokens", "create", "cmp_1");
  assert.equal(made.out, "svc_cmp_s\n");
  assert.match(
    made.err,
    /MUSTER_COMPUTER_TOKEN[\s\S]*computer connect --url http[\s\S]*npx @muster\/platform-computer connect/,
  );
  assert.match((await muster("computers", "tokens", "list", "cmp_1")).out, /^key_1 +computer/m);
  const ended = await muster("computers", "tokens", "delete", "cmp_1", "key_1", "--yes");
  assert.deepEqual([ended.code, ended.out], [0, "Deleted key_1.\n"]);
  assert.equal((await muster("computers", "delete", "cmp_1", "--yes")).out, "Deleted cmp_1.\n");
});

test("muster workforce hires an agent with a computer that dials in, and creates its token", async (t) => {
  const { muster, requests } = await startServer(t);
  const hire = ["workforce", "hire", "log-analyst", "--name", "Lou"];
  const hired = await muster(...hire, "--computer", "mac");
  assert.equal(hired.code, 0, hired.err);
  assert.match(requests.at(-1) ?? "", /"computer":\{"kind":"mac","os":"macos"\}/);
  assert.match(hired.err, /To create a token .* run: .*workforce computer-token "Lou"\n$/);
  await muster(...hire, "--computer-id", "cmp_1");
  assert.match(requests.at(-1) ?? "", /"computerId":"cmp_1"/);
  assert.equal((await muster(...hire, "--computer-id", "cmp_1", "--computer", "mac")).code, 2);
  assert.deepEqual(await muster("workforce", "computer-token", "Lou", "--quiet"), {
    code: 0,
    out: "svc_cmp_a\n",
    err: "",
  });
  assert.match(requests.at(-1) ?? "", /agt_1\/computer-tokens {"name":"computer"}$/);
});

test("muster doctor says which computers are down, and what to do", async (t) => {
  const { muster } = await startServer(t);
  const { out, code } = await muster("doctor");
  assert.match(
    out,
    /^failed +computer Builder +down: it has never connected\. Create a token .*muster-computer connect/m,
  );
  assert.match(out, /^off +computer Laptop +not connected: it has never/m);
  assert.equal(code, 1);
});

test("muster computer connect explains why it cannot connect, and ends with exit code 1", async (t) => {
  const { url } = await startServer(t);
  const home = await temporaryDirectory(t);
  const env = { MUSTER_URL: url, MUSTER_COMPUTER_TOKEN: "svc_cmp_x", HOME: home };
  const connect = (...args: string[]) => runMuster(["computer", "connect", ...args], { env, cwd: home });
  const missing = await connect("--dir", join(home, "none"));
  assert.deepEqual(
    [missing.code, missing.err],
    [1, `Error: The folder ${home}/none does not exist. (CANNOT_CONNECT)\n`],
  );
  const { code, err } = await connect("--dir", ".");
  assert.deepEqual([code, /is not a Muster server that computers can connect to/.test(err)], [1, true], err);
});
