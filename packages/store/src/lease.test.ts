import assert from "node:assert/strict";
import { openTestStore } from "@muster/store/testing";
import fc from "fast-check";
import { test } from "vitest";
import { isHeld, type Lease, notHeld } from "./transition.ts";

const numRuns = 60;

test("the filter finds exactly the documents whose lease no living process holds", async (t) => {
  const documents = (await openTestStore(t)).db.collection<{ _id: string; lease?: Lease | null }>("leases");
  const lease = fc.record({
    holder: fc.constantFrom("me", "other"),
    until: fc.nat(3).map((ms) => new Date(ms)),
  });
  const stored = fc.option(lease, { nil: null });
  const property = async (held: Lease | null, isAbsent: boolean, nowMs: number, onlyHolder?: string) => {
    const document = held === null && isAbsent ? { _id: "a" } : { _id: "a", lease: held };
    await documents.replaceOne({ _id: "a" }, document, { upsert: true });
    const found = await documents.findOne({ _id: "a", ...notHeld(new Date(nowMs), onlyHolder) });
    assert.equal(found === null, isHeld(held, nowMs, onlyHolder));
  };
  const only = fc.constantFrom(undefined, "me");
  await fc.assert(fc.asyncProperty(stored, fc.boolean(), fc.nat(3), only, property), { numRuns });
});
