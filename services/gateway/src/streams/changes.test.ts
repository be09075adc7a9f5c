import assert from "node:assert/strict";
import { createInProcessBus } from "@muster/events";
import { createIds, silentLogger } from "@muster/service";
import { until } from "@muster/testing";
import { test } from "vitest";
import { Changes, changedBy } from "./changes.ts";

test("a change is told to the readers of its project alone, and a reader that has left is forgotten at once", async (t) => {
  const bus = createInProcessBus({ log: silentLogger });
  const changes = new Changes({ bus, newId: createIds(), log: silentLogger });
  const stop = await changes.start();
  t.onTestFinished(async () => void (await Promise.all([stop(), bus.close()])));
  const signals = [new AbortController(), new AbortController()];
  const [own, other] = ["prj_1", "prj_2"].map((projectId, index) =>
    changes.of(projectId, signals[index]?.signal ?? AbortSignal.abort()),
  );
  assert.ok(own && other);
  const [first, foreign] = [own.next(), other.next()];
  assert.equal(changes.readers, 2);
  for (const address of ["/api/agents", "/api/agents", "/api/admin/keys"]) changes.note("prj_1", address);
  assert.deepEqual((await first).value?.slice(0, 1), ["/api/agents"]);
  // The relay leaves a source like this, without another request.
  for (const signal of signals) signal.abort();
  await until("no reader is left", async () => changes.readers === 0);
  assert.equal((await foreign).done, true);
});

test("only requests that can change something change an address", () => {
  const changed = (name: string) => changedBy(...(name.split(" ") as [string, string]));
  assert.equal(changed("PATCH /api/agents/:id"), "/api/agents");
  assert.equal(changed("DELETE /api/admin/keys/:id"), "/api/admin/keys");
  assert.equal(changed("POST /api/admin/workforce/agents/:id/keys"), "/api/admin/workforce");
  assert.equal(changed("POST /v1/responses"), "/api/agent-sessions");
  assert.equal(changed("POST /api/a2a/:agentId"), "/api/admin/workforce");
  for (const none of ["GET /api/agents", "HEAD /api/agents", "POST /mcp", "POST /api/agents/validate"])
    assert.equal(changed(none), undefined);
});
