import assert from "node:assert/strict";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { helper, makeFolder } from "./support/index.ts";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

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
    assert.match(out, new RegExp(`^${sessionId} with helper, active, created \\d{4}-`));
    assert.match(out, /^== user\nPlease use get-order for 7$/m);
    assert.match(out, /^\[get-order \{"orderNumber":"7"\} -> done\]$/m);
    const session = JSON.parse((await run(["sessions", "show", sessionId, "--json"])).out);
    assert.deepEqual([session.id, session.messages.length], [sessionId, 2]);
    await client.json(200, "DELETE", `/api/agent-sessions/${sessionId}`);
    assert.match((await run(["sessions", "show", sessionId])).out, /^ses_\w+ with helper, expired/);
    assert.equal((await run(["sessions", "show", "ses_nobody"])).code, 1);
  });

  test("sessions list finds sessions by agent, status and metadata, page by page", async () => {
    const body = (customer: string) => ({ agentSlug: "helper", metadata: { customer, plan: "free" } });
    const ids: string[] = [];
    for (const customer of ["c-1", "c-2"]) {
      const created = await client.json(201, "POST", "/api/agent-sessions", body(customer));
      ids.unshift(String(created.sessionId));
    }
    const list = async (...args: string[]) => {
      const { code, out } = await run(["sessions", "list", ...args, "--json"]);
      assert.equal(code, 0, out);
      return JSON.parse(out);
    };
    const idsOf = ({ sessions }: { sessions: Array<{ sessionId: string }> }) =>
      sessions.map(({ sessionId }) => sessionId);
    assert.deepEqual(idsOf(await list("--metadata", "plan=free")), ids);
    assert.deepEqual(
      idsOf(await list("--metadata", "plan=free", "--metadata", "customer=c-1")),
      ids.slice(1),
    );
    const one = await list("--metadata", "plan=free", "--limit", "1");
    assert.deepEqual([idsOf(one), one.hasMore], [ids.slice(0, 1), true]);
    await client.json(200, "DELETE", `/api/agent-sessions/${ids[0]}`);
    assert.deepEqual(
      idsOf(await list("--agent", "helper", "--status", "expired", "--limit", "1")),
      ids.slice(0, 1),
    );
    const { out } = await run(["sessions", "list", "--metadata", "customer=c-1"]);
    assert.match(out, /^ID +TITLE +MESSAGES +STATUS +UPDATED +AGENT +METADATA$/m);
    assert.match(out, new RegExp(`^${ids[1]} +0 +active .*customer=c-1 plan=free$`, "m"));
    assert.match((await run(["sessions", "list", "--metadata", "customer=nobody"])).err, /No sessions found/);
  });

  test("sessions list refuses wrong options before any request, and passes on what the server refuses", async () => {
    for (const args of [
      ["--limit", "0"],
      ["--limit", "x"],
      ["--metadata", "plan"],
      ["--metadata", "=x"],
    ]) {
      assert.equal((await run(["sessions", "list", ...args])).code, 2, args.join(" "));
    }
    const twice = ["--metadata", "plan=a", "--metadata", "plan=b"];
    assert.equal((await run(["sessions", "list", ...twice])).code, 2);
    assert.match((await run(["sessions", "list", "--status", "gone"])).err, /must be one of active, expired/);
    assert.equal((await run(["sessions", "list", "--agent", "nobody"])).code, 1);
  });

  test("chat --resume shows the last messages of a session and continues it with its own agent", async () => {
    const begun = JSON.parse((await run(["chat", "helper", "--message", "First question", "--json"])).out);
    const resume = ["chat", "--resume", begun.sessionId];
    const { code, out, err } = await run([...resume, "--message", "Second question"]);
    assert.deepEqual([code, out], [0, "[demo/echo, not a language model] You said: Second question\n"], err);
    assert.match(err, /^== user\nFirst question\n\n== assistant\n.*First question$/m);
    const session = await client.json(200, "GET", `/api/agent-sessions/${begun.sessionId}`);
    assert.equal(Array.isArray(session.messages) && session.messages.length, 4);
    for (const wrong of [
      ["chat"],
      [...resume, "--session", begun.sessionId],
      [...resume, "--input", "A=b"],
    ]) {
      assert.equal((await run([...wrong, "--message", "Hi"])).code, 2, wrong.join(" "));
    }
    await client.json(200, "DELETE", `/api/agent-sessions/${begun.sessionId}`);
    assert.match((await run([...resume, "--message", "Third"])).err, /has expired/);
  });

  test("a created project is listed, and its key command can be pasted", async () => {
    const { out, err } = await run(["projects", "create", "Staging"]);
    const [, id = ""] = /^Created project (\S+) \(Staging\)\.\n$/.exec(out) ?? [];
    assert.match(err, new RegExp(`run: muster keys create --project ${id} `));
    assert.match((await run(["projects", "list"])).out, new RegExp(`^${id} +Staging +- +\\d{4}-`, "m"));
    const { projects } = JSON.parse((await run(["projects", "list", "--json"])).out);
    assert.equal(projects.at(-1).id, id);
  });
});
