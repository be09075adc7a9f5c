import assert from "node:assert/strict";
import { createPrincipalSigner, createPrincipalVerifier } from "@muster/rpc";
import { ManualClock, Secret } from "@muster/service";
import fc from "fast-check";
import { test } from "vitest";
import { createCallerSigner, type Identity, IdentityCache } from "./identity.ts";

const principal = {
  ...{ projectId: "p", keyId: "key_1", permissions: new Set<never>(), anyProject: false },
};
const maxAgeMs = 4_000;
const moves = fc.array(
  fc.record({
    passMs: fc.nat(60_000),
    stepMs: fc.oneof(fc.constant(0), fc.integer({ min: -600_000, max: 600_000 })),
  }),
  { maxLength: 30 },
);

test("a credential in use is accepted by the services however the clock is corrected", () => {
  const secrets = [new Secret("s".repeat(32))];
  fc.assert(
    fc.property(moves, (all) => {
      const clock = new ManualClock();
      const callerIn = createCallerSigner(createPrincipalSigner(secrets, clock), clock);
      const { verify } = createPrincipalVerifier(secrets, clock);
      const identity: Identity = { principal, expiresAtMs: Number.POSITIVE_INFINITY, askedAtMs: 1 };
      for (const { passMs, stepMs } of all) {
        clock.advance(passMs);
        clock.step(stepMs);
        assert.equal(verify(callerIn(identity, "p").signed).keyId, "key_1");
      }
    }),
  );
});

test("a result of authentication is used as long as it may be and no longer, however the clock is corrected", () => {
  fc.assert(
    fc.property(moves, (all) => {
      const clock = new ManualClock();
      const cache = new IdentityCache(clock, maxAgeMs);
      const askedAtMs = clock.monotonicMs();
      cache.set("hash", { principal, expiresAtMs: Number.POSITIVE_INFINITY, askedAtMs });
      let ageMs = 0;
      for (const { passMs, stepMs } of all) {
        clock.advance(passMs % 1_000);
        clock.step(stepMs);
        ageMs += passMs % 1_000;
        assert.equal(cache.get("hash") !== undefined, ageMs <= maxAgeMs);
      }
    }),
  );
});
