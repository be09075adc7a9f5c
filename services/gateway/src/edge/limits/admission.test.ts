import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import { StreamReader, until } from "@muster/testing";
import { describe, test } from "vitest";
import { startEdge } from "../../../test/support/start-edge.ts";
import { HttpProblem } from "../errors/http-problem.ts";
import { Admission } from "./admission.ts";

/** Requests of known owners; a refused one has ended. */
function startAdmission(max: number) {
  const admission = new Admission(max);
  const enter = (projectId: string, principal: string) => {
    const progress = admission.enter();
    try {
      progress.belongTo({ projectId, principal });
      return progress;
    } catch (error) {
      progress.end();
      throw error;
    }
  };
  return { enter };
}

describe("admission", () => {
  test("requests beyond the bound are refused with a delay and without blaming the store; health is not", async (t) => {
    const release = Promise.withResolvers<void>();
    let running = 0;
    const edge = await startEdge(
      t,
      {
        getSession: async function* () {
          running++;
          await release.promise;
          yield {};
        },
      },
      // One project may have two of them.
      { maxRequestsInProgress: 3 },
    );
    const read = () => edge.call("GET", "/api/agent-sessions/ses_1");
    const admitted = [read(), read()];
    await until("both requests run", () => running === 2);
    const refused = await read();
    assert.deepEqual([refused.status, refused.json.code], [503, "UNAVAILABLE"]);
    assert.match(refused.json.error, /^The server is busy with other requests\./);
    assert.ok(Number(refused.headers.get("retry-after")) >= 1);
    assert.equal((await edge.call("GET", "/healthz", { key: null })).status, 200);
    await until("it is ready", async () => (await edge.call("GET", "/readyz", { key: null })).status === 200);
    release.resolve();
    await Promise.all(admitted);
    await until("requests are admitted again", async () => (await read()).status !== 503);
  });

  test("a client without a key takes no place while it sends its body", async (t) => {
    const edge = await startEdge(t, {}, { maxRequestsInProgress: 1 });
    const slow = request(`${edge.url}/hooks/hok_1`, { method: "POST", headers: { "content-length": "2" } });
    t.onTestFinished(() => void slow.on("error", () => {}).destroy());
    slow.write("{");
    for (let n = 0; n < 3; n++) assert.equal((await edge.call("GET", "/api/agents")).status, 200);
  });

  test("a stream counts only until its first event", async (t) => {
    const edge = await startEdge(
      t,
      {
        trigger: async function* (_request, { signal }) {
          yield { events: [{ sequence: 1, type: "start", json: '{"type":"start"}' }] };
          await once(signal, "abort");
        },
      },
      { maxRequestsInProgress: 1, drainMs: 0 },
    );
    const leaving = new AbortController();
    for (let n = 0; n < 3; n++) {
      const response = await fetch(`${edge.url}/api/agent-sessions/ses_${n}/trigger`, {
        method: "POST",
        headers: { authorization: `Bearer ${edge.adminKey}`, "content-type": "application/json" },
        body: '{"triggerName":"go"}',
        signal: leaving.signal,
      });
      assert.equal(response.status, 200);
      await new StreamReader(response).readUntil('"start"');
    }
    assert.equal((await edge.call("GET", "/api/agents")).status, 200);
    leaving.abort();
  });

  test("a project whose requests fill its share is refused more, and another project is served", () => {
    const { enter } = startAdmission(100);
    const flood = Array.from({ length: 75 }, (_, index) => enter("flood", `${index}`));
    assert.throws(() => enter("flood", "new"), /busy with other requests/);
    for (let one = 0; one < 10; one++) enter("other", "a");
    for (const progress of flood) progress.end();
    enter("flood", "new");
  });

  test("a principal whose requests fill its share is refused more, and others of its project are served", () => {
    const { enter } = startAdmission(1_000);
    const flood = Array.from({ length: 666 }, () => enter("project", "flood"));
    assert.throws(() => enter("project", "flood"), /busy with other requests/);
    const others = Array.from({ length: 50 }, (_, index) => enter("project", `${index % 10}`));
    enter("other", "flood");
    for (const progress of [...flood, ...others]) progress.end();
    enter("project", "flood");
  });

  test("Retry-After follows the time that requests take at present", () => {
    let nowMs = 0;
    const admission = new Admission(
      1,
      () => false,
      () => nowMs,
    );
    const retryAfter = () => {
      const { end } = admission.enter();
      try {
        admission.enter();
        return assert.fail("it must be refused");
      } catch (error) {
        assert.ok(error instanceof HttpProblem);
        return Number(error.headers["retry-after"]);
      } finally {
        end();
        end();
      }
    };
    assert.equal(retryAfter(), 1);
    for (let n = 0; n < 100; n++) {
      const { end } = admission.enter();
      nowMs += 4_000;
      end();
    }
    assert.equal(retryAfter(), 4);
  });
});
