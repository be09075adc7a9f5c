import assert from "node:assert/strict";
import { helper, makeFolder } from "@muster/cli/testing";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { startWorkplace, type Workplace } from "./workplace.ts";

describe("sessions and projects", () => {
  const scope = suiteScope();
  let run: Workplace["run"];
  let client: Workplace["client"];
  beforeAll(async () => {
    ({ run, client } = await startWorkplace(scope));
    assert.equal((await run(["agents", "push", "--yes"], { cwd: await makeFolder(scope, helper) })).code, 0);
  });

  test("sessions show prints the conversation with its tool calls", async () => {
    const message = ["--message", "Please use get-order for 7", "--tool", "get-order=sent", "--json"];
    const { sessionId } = JSON.parse((await run(["chat", "helper", ...message])).out);
    const { code, out } = await run(["sessions", "show", sessionId]);
    assert.equal(code, 0);
    assert.match(out, new RegExp(`^${sessionId} with agt_\\w+, active, created \\d{4}-`));
    assert.match(out, /^== user\nPlease use get-order for 7$/m);
    assert.match(out, /^\[get-order \{"orderNumber":"7"\} -> done\]$/m);
    const session = JSON.parse((await run(["sessions", "show", sessionId, "--json"])).out);
    assert.deepEqual([session.id, session.messages.length], [sessionId, 2]);
    await client.json(200, "DELETE", `/api/agent-sessions/${sessionId}`);
    assert.match((await run(["sessions", "show", sessionId])).out, /^ses_\w+ with agt_\w+, expired/);
    assert.equal((await run(["sessions", "show", "ses_nobody"])).code, 1);
  });

  test("a created project is listed, and its key command can be pasted", async () => {
    const { out, err } = await run(["projects", "create", "Staging"]);
    const [, id = ""] = /^Created project (\S+) \(Staging\)\.\n$/.exec(out) ?? [];
    assert.match(err, new RegExp(`run: muster keys create --project ${id} `));
    assert.match((await run(["projects", "list"])).out, new RegExp(`^${id} +Staging +\\d{4}-`, "m"));
    const { projects } = JSON.parse((await run(["projects", "list", "--json"])).out);
    assert.equal(projects.at(-1).id, id);
  });
});
