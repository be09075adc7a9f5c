import assert from "node:assert/strict";
import { until } from "@muster/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { helper, makeFolder } from "./support/index.ts";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

describe("muster tokens", () => {
  const scope = suiteScope();
  let run: Workplace["run"];
  let url: Workplace["url"];
  let client: Workplace["client"];
  let agentId = "";
  beforeAll(async () => {
    ({ run, url, client } = await startWorkplace(scope));
    assert.equal((await run(["agents", "push", "--yes"], { cwd: await makeFolder(scope, helper) })).code, 0);
    agentId = String((await client.json(200, "GET", "/api/agents/helper?by=slug")).id);
  });

  const openSession = async (token: string) =>
    (
      await fetch(`${url}/api/agent-sessions`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ agentId }),
      })
    ).status;

  test("tokens mint prints only the token to standard output; it works, and stops working once revoked", async () => {
    const { code, out, err } = await run(["tokens", "mint", "--agent", "helper", "--ttl", "15m"]);
    assert.equal(code, 0, err);
    assert.match(out, /^svc_et_\w+\n$/);
    const token = out.trim();
    assert.ok(!err.includes(token));
    const [, jti = ""] = /token (tok_\w+)/.exec(err) ?? [];
    assert.equal(await openSession(token), 201);
    const revoked = await run(["tokens", "revoke", jti]);
    assert.deepEqual([revoked.code, revoked.out], [0, `Revoked ${jti}.\n`]);
    assert.equal((await run(["tokens", "revoke", jti])).code, 0);
    await until(async () => (await openSession(token)) === 401);
  });

  test("tokens mint restricts the token to a session, and --quiet and --json print nothing else", async () => {
    const sessionId = String((await client.json(201, "POST", "/api/agent-sessions", { agentId })).sessionId);
    const args = ["tokens", "mint", "--agent", agentId, "--session", sessionId];
    const quiet = await run([...args, "--quiet"]);
    assert.deepEqual([quiet.code, quiet.err], [0, ""]);
    assert.equal(await openSession(quiet.out.trim()), 403);
    const json = JSON.parse((await run([...args, "--json"])).out);
    assert.deepEqual(Object.keys(json).sort(), ["expiresAt", "jti", "token"]);
    assert.equal((await run([...args, "--approve", "--quiet"])).code, 0);
    const everywhere = await run(["tokens", "mint", "--agent", agentId, "--approve"]);
    assert.deepEqual([everywhere.code, everywhere.out], [1, ""]);
    assert.match(everywhere.err, /sessionId/);
  });

  test("a key for one agent mints for it, by its id or slug, if it has sessions and mint-tokens", async () => {
    const create = ["keys", "create", "--name", "Website", "--agent", "helper", "--quiet", "--permission"];
    const key = (await run([...create, "sessions", "mint-tokens"])).out.trim();
    assert.match(key, /^svc_agt_/);
    const as = { env: { MUSTER_API_KEY: key } };
    for (const agent of [agentId, "helper"]) {
      const minted = await run(["tokens", "mint", "--agent", agent, "--quiet"], as);
      assert.equal(minted.code, 0, minted.err);
    }
    const weak = { env: { MUSTER_API_KEY: (await run([...create, "mint-tokens"])).out.trim() } };
    const refused = await run(["tokens", "mint", "--agent", agentId], weak);
    assert.deepEqual([refused.code, refused.out], [1, ""]);
    assert.match(refused.err, /mint-tokens and sessions/);
  });

  test("tokens revoke reads a token from standard input, never from the command line", async () => {
    const token = (await run(["tokens", "mint", "--agent", "helper", "--quiet"])).out.trim();
    const typed = await run(["tokens", "revoke", token]);
    assert.deepEqual([typed.code, typed.out], [2, ""]);
    assert.ok(!typed.err.includes(token));
    const piped = await run(["tokens", "revoke", "-"], { input: `${token}\n` });
    assert.match(piped.out, /^Revoked tok_\w+\.\n$/);
    const unknown = await run(["tokens", "revoke", "tok_none"]);
    assert.deepEqual([unknown.code, unknown.out], [1, "The token is unknown or has expired.\n"]);
  });

  test("a malformed lifetime is a usage error, and a session that does not exist is the server's", async () => {
    for (const ttl of ["0s", "15", "1d", "-5m", "1.5h", "soon"]) {
      assert.equal((await run(["tokens", "mint", "--agent", "helper", "--ttl", ttl])).code, 2, ttl);
    }
    const missing = await run(["tokens", "mint", "--agent", "helper", "--session", "ses_none"]);
    assert.deepEqual([missing.code, /NOT_FOUND/.test(missing.err)], [1, true]);
  });
});
