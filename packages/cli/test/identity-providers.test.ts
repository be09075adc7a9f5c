import assert from "node:assert/strict";
import { echoAgent } from "@muster/local/testing/world";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

describe("muster identity-providers", () => {
  const scope = suiteScope();
  let run: Workplace["run"];
  let agentId: string;
  const create = ["identity-providers", "create", "--name", "CI", "--issuer", "https://idp.example/"];
  beforeAll(async () => {
    const workplace = await startWorkplace(scope);
    run = workplace.run;
    agentId = await workplace.client.field("agentId", 201, "POST", "/api/agents", echoAgent("helper"));
  });

  test("create prints only the audience to standard output; list and show contain the provider until it is deleted", async () => {
    const conditions = ["--condition", "repository=acme/app", "repository=acme/web", "ref=refs/heads/*"];
    const more = ["--algorithm", "ES256,RS256", "--max-lifetime", "15m", "--session-claim", "session"];
    const created = await run([...create, ...conditions, ...more, "--agent", "helper"]);
    assert.equal(created.code, 0, created.err);
    const [, id = ""] = /^muster:(idp_[0-9a-z]+)\n$/.exec(created.out) ?? [];
    assert.match(
      created.err,
      new RegExp(`^Created identity provider ${id} \\(CI\\) in project default\\.\n`),
    );
    assert.match(
      (await run(["identity-providers", "list"])).out,
      new RegExp(`${id} +CI +https://idp.example/`),
    );
    const shown = await run(["identity-providers", "show", id]);
    for (const line of [
      `Audience    muster:${id}`,
      "Keys        found by discovery",
      "Algorithms  ES256, RS256",
      "Lifetime    at most 900 s",
      "Conditions  repository=acme/app or acme/web, ref=refs/heads/*",
      "Agent       helper",
      "Session     claim session",
    ])
      assert.ok(shown.out.includes(`${line}\n`), shown.out);
    assert.equal((await run(["identity-providers", "delete", id])).code, 2);
    assert.equal((await run(["identity-providers", "delete", id, "--yes"])).out, `Deleted ${id}.\n`);
    assert.equal((await run(["identity-providers", "show", id])).code, 1);
    assert.deepEqual(JSON.parse((await run(["identity-providers", "list", "--json"])).out), {
      identityProviders: [],
    });
  });

  test("a wrong command line is refused before anything is sent, and the server's issues are shown", async () => {
    const agent = ["--agent", agentId];
    const condition = ["--condition", "sub=x"];
    for (const wrong of [
      ["--condition", "sub", ...agent],
      ["--condition", "=x", ...agent],
      ["--condition", "sub=*", ...agent],
      ["--condition", "sub=a*", "sub=b*", ...agent],
      [...condition],
      [...condition, ...agent, "--agent-claim", "agent"],
      [...condition, ...agent, "--max-lifetime", "soon"],
    ])
      assert.equal((await run([...create, ...wrong])).code, 2, wrong.join(" "));
    const refused = await run([...create, ...condition, ...agent, "--algorithm", "HS256"]);
    assert.equal(refused.code, 1);
    assert.match(refused.err, /algorithms\.0 must be one of RS256/);
  });
});
