import assert from "node:assert/strict";
import { test } from "node:test";
import { helper, makeFolder } from "../testing/folders.ts";
import { startWorkplace } from "../testing/server.ts";

test("keys for one agent", async (t) => {
  const { run, client } = await startWorkplace(t);
  assert.equal((await run(["agents", "push", "--yes"], { cwd: await makeFolder(t, helper) })).code, 0);
  const agentId = String((await client.json(200, "GET", "/api/agents/helper?by=slug")).id);
  const create = ["keys", "create", "--name", "One agent", "--permission", "sessions"];

  await t.test("keys create resolves a slug to the id of the agent", async () => {
    const made = JSON.parse((await run([...create, "--agent", "helper", "--json"])).out);
    assert.equal(made.agentId, agentId);
    assert.match((await run(["keys", "list"])).out, new RegExp(`One agent .*${agentId}`));
  });

  await t.test("keys create refuses an agent that does not exist", async () => {
    for (const name of ["nobody", "agt_nobody"]) {
      const { code, out, err } = await run([...create, "--agent", name]);
      assert.deepEqual([code, out], [1, ""]);
      assert.match(err, /does not exist in this project/);
    }
  });

  await t.test("a key for one agent can chat with it by id", async () => {
    const key = (await run([...create, "--agent", "helper", "--quiet"])).out.trim();
    const as = { env: { MUSTER_API_KEY: key } };
    const { code, out, err } = await run(["chat", agentId, "--message", "Hi"], as);
    assert.deepEqual([code, out], [0, "[demo/echo, not a language model] You said: Hi\n"], err);
    const bySlug = await run(["chat", "helper", "--message", "Hi"], as);
    assert.equal(bySlug.code, 2);
    assert.match(bySlug.err, new RegExp(`restricted to agent ${agentId}\\. It cannot look up slugs`));
    const other = await run(["chat", "agt_other", "--message", "Hi"], as);
    assert.match(other.err, /This is another agent/);
  });
});
