import assert from "node:assert/strict";
import { testGuard } from "@muster/guarded-fetch/testing";
import { ManualClock, Secret } from "@muster/service";
import { beforeEach, test } from "vitest";
import { createMcpClient, type McpAuth, MemoryTokenStore } from "../src/index.ts";
import { mcpServer } from "./support/mcp-server.ts";
import { type ProtectedServer, secret, startProtected, tokenSeconds } from "./support/protected-server.ts";

const { signal } = new AbortController();
const bySecret: McpAuth = {
  type: "client-credentials",
  clientId: "by-secret",
  clientSecret: new Secret(secret),
};
const guard = testGuard;
const tokensIssued = ({ requests }: ProtectedServer) =>
  requests.filter((line) => line === "POST /token").length;

let protectedServer: ProtectedServer;
beforeEach(async (t) => {
  protectedServer = await startProtected(t);
});

test("one token serves all listings and calls of all instances, even if many ask for the first one at once", async () => {
  const tokens = new MemoryTokenStore();
  const server = mcpServer(protectedServer.url, { auth: { ...bySecret, issuer: protectedServer.issuer } });
  const instances = [1, 2].map(() => createMcpClient({ version: "0.0.0", guard, tokens }));
  await Promise.all([1, 2, 3].flatMap(() => instances.map((mcp) => mcp.list(server, signal))));
  for (const mcp of instances)
    assert.equal((await mcp.call(server, "echo", { text: "hello" }, signal)).type, "result");
  assert.equal(tokensIssued(protectedServer), 1);
});

for (const algorithm of ["ES256", "EdDSA"] as const)
  test(`a client that signs with its private key by ${algorithm} gets a token`, async () => {
    const privateKey = new Secret(protectedServer.privateKeys[algorithm]);
    const auth: McpAuth = { type: "private-key-jwt", clientId: `by-${algorithm}`, privateKey, algorithm };
    const mcp = createMcpClient({ version: "0.0.0", guard });
    const report = await mcp.test(mcpServer(protectedServer.url, { auth }), signal);
    assert.ok(report.isUsable, JSON.stringify(report));
  });

test("a token is renewed after four fifths of its life, and that of a server that is down serves until its end", async () => {
  const clock = new ManualClock();
  const server = mcpServer(protectedServer.url, { auth: bySecret });
  const mcp = createMcpClient({ version: "0.0.0", guard, clock });
  const issuedAfter = async (seconds: number) => {
    clock.advance(seconds * 1_000);
    await mcp.test(server, signal);
    return tokensIssued(protectedServer);
  };
  assert.equal(await issuedAfter(0), 1);
  assert.equal(await issuedAfter(tokenSeconds * 0.79), 1);
  assert.equal(await issuedAfter(tokenSeconds * 0.02), 2);
  protectedServer.isDown = true;
  clock.advance(tokenSeconds * 900);
  assert.ok((await mcp.test(server, signal)).isUsable);
  clock.advance(tokenSeconds * 200);
  const report = await mcp.test(server, signal);
  assert.ok(!report.isUsable);
  assert.equal(report.stage, "authorization");
});

test("a call with a token that the server has revoked is repeated once with another", async () => {
  const server = mcpServer(protectedServer.url, { auth: bySecret });
  const mcp = createMcpClient({ version: "0.0.0", guard });
  await mcp.list(server, signal);
  protectedServer.revoke();
  const call = await mcp.call(server, "echo", { text: "hello" }, signal);
  assert.deepEqual(call, { type: "result", result: "hello", files: [] });
  assert.equal(tokensIssued(protectedServer), 2);
});

test("a secret is sent to no authorization server but its issuer, or the first one that the server named", async (t) => {
  const other = await startProtected(t);
  const mcp = createMcpClient({ version: "0.0.0", guard });
  const free = mcpServer(protectedServer.url, { auth: bySecret });
  await mcp.list(free, signal);
  protectedServer.revoke();
  protectedServer.authorizationServer = other.issuer;
  const bound = mcpServer(protectedServer.url, { auth: { ...bySecret, issuer: protectedServer.issuer } });
  for (const server of [free, bound]) {
    const report = await mcp.test(server, signal);
    assert.deepEqual([report.isUsable, !report.isUsable && report.stage], [false, "authorization"]);
    assert.match(
      String(!report.isUsable && report.problem),
      /names an authorization server that is not the issuer/,
    );
  }
  assert.equal(tokensIssued(other), 0);
});

test("refused credentials are reported in one sentence without the secret", async () => {
  const wrong = "a-wrong-secret";
  const auth: McpAuth = { ...bySecret, clientSecret: new Secret(wrong) };
  const mcp = createMcpClient({ version: "0.0.0", guard });
  const outcome = await mcp.call(mcpServer(protectedServer.url, { auth }), "echo", {}, signal);
  assert.ok(outcome.type === "error");
  assert.match(
    outcome.error,
    /^The MCP server tickets has an authorization server that answered .*client auth.*\.$/,
  );
  assert.ok(!outcome.error.includes(wrong));
});
