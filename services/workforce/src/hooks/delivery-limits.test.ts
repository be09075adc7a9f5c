import assert from "node:assert/strict";
import { Reason, readRpcError } from "@muster/rpc";
import { ManualClock } from "@muster/service";
import { test } from "vitest";
import type { HookDocument } from "../store/hook-document.ts";
import { createDeliveryLimits } from "./delivery-limits.ts";

const hook = (_id: string, projectId: string) => ({ _id, projectId }) as HookDocument;

function limited(waiting: Record<string, number> = {}) {
  const clock = new ManualClock(0);
  let counts = 0;
  const countWaiting = async (projectId: string) => {
    counts++;
    return waiting[projectId] ?? 0;
  };
  const limit = createDeliveryLimits(clock, { countWaiting });
  const refused = async (of: HookDocument, bytes = 0) =>
    limit(of, bytes).then(
      () => undefined,
      (error: unknown) => readRpcError(error),
    );
  return { clock, refused, counts: () => counts };
}

test("a hook accepts 1,200 small deliveries a minute, and fewer large ones; other hooks keep their share", async () => {
  const { clock, refused, counts } = limited();
  for (let sent = 0; sent < 1_200; sent++) assert.equal(await refused(hook("a", "p")), undefined);
  const { reason, retryAfterMs } = (await refused(hook("a", "p"))) ?? {};
  assert.deepEqual([reason, retryAfterMs], [Reason.RATE_LIMITED, 60_000]);
  assert.equal(counts(), 1);
  const large = 1024 * 1024;
  for (let sent = 0; sent < 70; sent++) assert.equal(await refused(hook("b", "p"), large), undefined);
  assert.notEqual(await refused(hook("b", "p"), large), undefined);
  clock.advance(60_000);
  assert.equal(await refused(hook("a", "p")), undefined);
});

test("a project accepts 6,000 deliveries a minute with all of its hooks, and another project is not affected", async () => {
  const { refused } = limited();
  for (let sent = 0; sent < 6_000; sent++) await refused(hook(`hook ${sent % 10}`, "p"));
  assert.match((await refused(hook("new", "p")))?.message ?? "", /^This project/);
  assert.equal(await refused(hook("other", "q")), undefined);
});

test("a project in which 10,000 deliveries wait accepts no more, as a count of the last second shows", async () => {
  const waiting = { p: 10_000 };
  const { clock, refused } = limited(waiting);
  assert.match((await refused(hook("a", "p")))?.message ?? "", /wait/);
  assert.equal(await refused(hook("b", "q")), undefined);
  waiting.p = 0;
  clock.advance(1_000);
  assert.equal(await refused(hook("a", "p")), undefined);
});
