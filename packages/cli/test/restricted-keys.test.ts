import assert from "node:assert/strict";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { helper, makeFolder } from "./support/index.ts";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

describe("keys that are restricted to one agent", () => {
  const scope = suiteScope();
  let run: Workplace["run"];
  let client: Workplace["client"];
  let agentId = "";
  beforeAll(async () => {
    ({ run, client } = await startWorkplace(scope));
    assert.equal((await run(["agents", "push", "--yes"], { cwd: await makeFolder(scope, helper) })).code, 0);
    agentId = String((await client.json(200, "GET", "/api/agents/helper?by=slug")).id);
  });
  const create = ["keys", "create", "--name", "One agent", "--permission", "sessions"];

  test("keys create resolves a slug to the id of the agent", async () => {
    const made = JSON.parse((await run([...create, "--agent", "helper", "--json"])).out);
    assert.equal(made.agentId, agentId);
    assert.match(made.key, /^svc_agt_/);
    assert.match((await run(["keys", "list"])).out, /One agent .* helper /);
  });

  test("keys create refuses an agent that does not exist", async () => {
    for (const name of ["nobody", "agt_nobody"]) {
      const { code, out, err } = await run([...create, "--agent", name]);
      assert.deepEqual([code, out], [1, ""]);
      assert.match(err, /does not exist in this project|does not name an agent of the project/);
    }
  });

  test("a key for one agent can chat with it by id and by slug, and with no other", async () => {
    const key = (await run([...create, "--agent", "helper", "--quiet"])).out.trim();
    const as = { env: { MUSTER_API_KEY: key } };
    const { code, out, err } = await run(["chat", agentId, "--message", "Hi"], as);
    assert.deepEqual([code, out], [0, "[demo/echo, not a language model] You said: Hi\n"], err);
    const bySlug = await run(["chat", "helper", "--message", "Hi"], as);
    assert.deepEqual([bySlug.code, bySlug.out], [0, out], bySlug.err);
    const wrongSlug = await run(["chat", "nobody", "--message", "Hi"], as);
    assert.deepEqual([wrongSlug.code, wrongSlug.out], [1, ""]);
    assert.match(wrongSlug.err, /another agent/);
    const other = await run(["chat", "agt_other", "--message", "Hi"], as);
    assert.match(other.err, /This is another agent/);
  });
});
