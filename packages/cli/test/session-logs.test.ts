import assert from "node:assert/strict";
import { suiteScope } from "@muster/testing/suite";
import { beforeAll, describe, test } from "vitest";
import { helper, makeFolder } from "./support/index.ts";
import { startWorkplace, type Workplace } from "./support/workplace.ts";

describe("muster sessions logs and tail", () => {
  const scope = suiteScope();
  let run: Workplace["run"];
  let start: Workplace["start"];
  let client: Workplace["client"];
  beforeAll(async () => {
    ({ run, start, client } = await startWorkplace(scope));
    assert.equal((await run(["agents", "push", "--yes"], { cwd: await makeFolder(scope, helper) })).code, 0);
  });

  async function chat(...args: string[]): Promise<string> {
    const message = ["--message", "Please use get-order for 7", "--tool", "get-order=sent", "--json"];
    return JSON.parse((await run(["chat", "helper", ...message, ...args])).out).sessionId;
  }

  test("sessions logs prints a line for each entry as soon as the turn has ended, and the requests only if asked", async () => {
    const sessionId = await chat();
    const { code, out } = await run(["sessions", "logs", sessionId]);
    assert.equal(code, 0);
    assert.match(out, /^\d\d:\d\d:\d\d\.\d{3} {2}trigger +triggerName="user-message"/);
    assert.match(out, /tool-call +\[\S.*\] {2}toolCallId=.* toolName="get-order" args=\{"orderNumber":"7"\}/);
    assert.match(out, /tool-result .* status="done" result="sent"/);
    assert.match(out, /step-stats +\[\S.*\] {2}demo\/echo: stop, \d+ ms, \d+ \+ \d+ tokens, \$0$/m);
    assert.doesNotMatch(out, /model-request/);
    assert.match((await run(["sessions", "logs", sessionId, "--requests"])).out, /model-request/);
    const log = JSON.parse((await run(["sessions", "logs", sessionId, "--json"])).out);
    const direct = await client.json(
      200,
      "GET",
      `/api/agent-sessions/${sessionId}/logs?excludeModelRequests=true`,
    );
    assert.deepEqual(log, direct);
    assert.equal(log.total, out.trimEnd().split("\n").length);
  });

  test("sessions logs of an expired session reports the expiry, and of an unknown one fails", async () => {
    const sessionId = await chat();
    await client.json(200, "DELETE", `/api/agent-sessions/${sessionId}`);
    const { code, out, err } = await run(["sessions", "logs", sessionId]);
    assert.deepEqual([code, out], [0, ""]);
    assert.match(err, /The session has expired/);
    assert.equal((await run(["sessions", "logs", "ses_nobody"])).code, 1);
  });

  test("sessions tail follows a session over its turns, until an interrupt or the end of the session", async () => {
    const sessionId = await chat();
    const [watching, other] = [
      start(["sessions", "tail", sessionId]),
      start(["sessions", "tail", sessionId]),
    ];
    await watching.shown(/step-stats/);
    await chat("--session", sessionId);
    await watching.shown(/trigger[\s\S]*trigger[\s\S]*step-stats/);
    watching.interrupt();
    assert.equal((await watching.finished).code, 130);
    await client.json(200, "DELETE", `/api/agent-sessions/${sessionId}`);
    const { code, err } = await other.finished;
    assert.equal(code, 0);
    assert.match(err, /The session has expired/);
    const refused = await run(["sessions", "tail", sessionId, "--json"]);
    assert.deepEqual([refused.code, /does not support --json/.test(refused.err)], [2, true]);
  });
});
