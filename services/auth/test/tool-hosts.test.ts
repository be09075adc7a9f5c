import assert from "node:assert/strict";
import { platformPrincipal, Reason, readRpcError } from "@muster/rpc";
import { until } from "@muster/testing";
import { test } from "vitest";
import { as, createWorld, startAuth } from "./support/start-auth.ts";

const projectId = "default";

async function start(t: Parameters<typeof startAuth>[0], options = { secretsKey: "ab".repeat(32) }) {
  const world = await createWorld(t);
  const { client } = await startAuth(t, world, undefined, options);
  const resolved = async () => {
    const answer = await client.resolveProviderKeys({ projectId }, as(world, platformPrincipal));
    const hosts = answer.toolHosts.map(({ host, isUntrusted }) => ({ host, isUntrusted }));
    return {
      hosts,
      secrets: answer.toolSecrets.map(({ host, result }) => [host, result.case, result.value]),
    };
  };
  const refusalOf = async (call: Promise<unknown>) => {
    const refusal = await call.then(
      () => assert.fail("the call was served"),
      (error: unknown) => readRpcError(error),
    );
    assert.equal(refusal.reason, Reason.INVALID_REQUEST);
    return refusal;
  };
  return { world, client, resolved, refusalOf };
}

test("a project's tool hosts are replaced as a whole, reach the platform, and are exact hosts", async (t) => {
  const { world, client, resolved, refusalOf } = await start(t);
  const events: unknown[] = [];
  await world.bus.subscribe("auth.project-changed", { broadcast: true }, async (event) => {
    events.push(event);
  });
  const change = (hosts: object[]) => client.updateProject({ projectId, toolHosts: { hosts } }, as(world));
  const hosts = [
    { host: "api.example.com", isUntrusted: false },
    { host: "10.0.0.7:8080", isUntrusted: true },
    { host: "[::1]:8080", isUntrusted: false },
  ];
  await change(hosts);
  assert.deepEqual((await resolved()).hosts, hosts);
  const wrong = [
    "",
    "API.example.com",
    "a.example:443",
    "https://a.example",
    "a.example/x",
    "u@a.example",
    "*.example",
  ];
  for (const host of [...wrong, "a.example?", "a b", `${"a".repeat(60)}.`.repeat(5)])
    assert.equal((await refusalOf(change([{ host }]))).issues[0]?.path, "toolHosts.0.host", host);
  assert.equal((await refusalOf(change([{ host: "a" }, { host: "a" }]))).issues[0]?.path, "toolHosts.1.host");
  const many = Array.from({ length: 101 }, (_, index) => ({ host: `h${index}` }));
  assert.equal((await refusalOf(change(many))).issues[0]?.path, "toolHosts");
  await client.updateProject({ projectId, name: "Renamed" }, as(world));
  assert.deepEqual((await resolved()).hosts, hosts);
  await change([]);
  assert.deepEqual((await resolved()).hosts, []);
  await until(() => events.length >= 2);
  assert.deepEqual(events, [{ projectId }, { projectId }]);
});

test("a host's secret is generated or the caller's own, reaches only the platform, and each change is announced", async (t) => {
  const { world, client, resolved, refusalOf } = await start(t);
  const events: unknown[] = [];
  await world.bus.subscribe("auth.project-changed", { broadcast: true }, async (event) => {
    events.push(event);
  });
  const set = (host: string, secret?: string) =>
    client.setToolSecret({ projectId, host, ...(secret !== undefined && { secret }) }, as(world));
  const own = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
  const { generated } = await set("b.example");
  assert.match(String(generated), /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal((await set("a.example", own)).generated, undefined);
  assert.deepEqual((await resolved()).secrets, [
    ["a.example", "secret", own],
    ["b.example", "secret", generated],
  ]);
  const { toolSecrets } = await client.listToolSecrets({ projectId }, as(world));
  assert.deepEqual(
    toolSecrets.map(({ host, lastFour }) => [host, lastFour]),
    [
      ["a.example", own.slice(-4)],
      ["b.example", generated?.slice(-4)],
    ],
  );
  for (const bytes of [0, 23, 65])
    assert.equal(
      (await refusalOf(set("a.example", `whsec_${Buffer.alloc(bytes).toString("base64")}`))).issues[0]?.path,
      "secret",
    );
  for (const secret of ["", "secret", own.slice(6), `${own} `, `whsec_${"ä".repeat(40)}`]) {
    const { message, issues } = await refusalOf(set("a.example", secret));
    assert.ok(issues[0]?.path === "secret" && (secret.length < 7 || !message.includes(secret)));
  }
  assert.equal((await refusalOf(set("A.example"))).issues[0]?.path, "host");
  const remove = () => client.deleteToolSecret({ projectId, host: "b.example" }, as(world));
  assert.deepEqual([(await remove()).deleted, (await remove()).deleted], [true, false]);
  assert.equal((await resolved()).secrets.length, 1);
  await until(() => events.length === 3);
});

test("a provider's key that was moved to a host in the store does not sign calls", async (t) => {
  const { world, client, resolved } = await start(t);
  await client.setProviderKey({ projectId, provider: "openai", key: "sk-0123456789abcdef" }, as(world));
  const db = world.store.db.client.db(`${world.store.databasePrefix}_auth`);
  const stored = await db.collection<{ _id: string }>("provider_keys").findOne({});
  assert.ok(stored);
  const moved = { ...stored, _id: "default/openai", host: "openai", provider: undefined };
  await db.collection<{ _id: string }>("tool_secrets").insertOne(moved);
  const [[host, kind, problem] = []] = (await resolved()).secrets;
  assert.deepEqual([host, kind], ["openai", "problem"]);
  assert.match(String(problem), /secret of the project default for HTTP tools on openai is damaged/);
});
