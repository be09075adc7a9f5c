import assert from "node:assert/strict";
import { Secret } from "@muster/service";
import { test } from "vitest";
import { makeKey, startEdge } from "./support/start-edge.ts";

const otherSecrets = [new Secret("fedcba9876543210fedcba9876543210")];

test("a gateway whose signature the services refuse blames no right credential, on any route, and still refuses wrong ones", async (t) => {
  const edge = await startEdge(t);
  const keys = [edge.adminKey, (await makeKey(edge)).key];
  const { call } = await edge.startGateway({}, edge.bus, undefined, otherSecrets);
  let refused = 0;
  for (const route of edge.routes) {
    const [method = "", pattern = ""] = route.split(" ");
    if (!pattern.startsWith("/api/") || method === "HEAD" || method === "OPTIONS") continue;
    // It calls no service, and does not end.
    if (pattern === "/api/changes") continue;
    const path = pattern.replace(/:\w+/g, "ses_1");
    for (const key of keys) {
      const { status, json, headers } = await call(method, path, { key, ...bodyFor(method) });
      assert.notEqual(status, 401, route);
      // Others fail before a service is called.
      if (!/do not accept each other's calls.*ask the operator/.test(json?.error)) continue;
      refused += 1;
      assert.deepEqual([status, json.code, headers.get("retry-after")], [503, "UNAVAILABLE", "10"], route);
    }
  }
  assert.ok(refused > 20, String(refused));
  for (const key of ["svc_sk_wrong", `svc_sk_${"0".repeat(32)}`, null]) {
    assert.equal((await call("GET", "/api/agents", { key })).status, 401);
  }
});

function bodyFor(method: string): { body?: unknown } {
  return method === "GET" || method === "DELETE" ? {} : { body: { agentId: "agt_1", name: "n" } };
}
