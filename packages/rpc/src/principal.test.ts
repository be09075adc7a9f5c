import assert from "node:assert/strict";
import { ManualClock, Secret } from "@muster/service";
import fc from "fast-check";
import { describe, test } from "vitest";
import { Reason, readRpcError } from "./errors.ts";
import {
  type CallPrincipal,
  createPrincipalSigner,
  createPrincipalVerifier,
  hasPermission,
  isPlatform,
  isWorkforce,
  permissions,
  platformPrincipal,
  principalLifetimeMs,
  workforcePrincipal,
} from "./principal.ts";

const secrets = [new Secret("one secret")];
const principals: fc.Arbitrary<CallPrincipal> = fc
  .record({
    projectId: fc.string(),
    keyId: fc.string(),
    permissions: fc.uniqueArray(fc.constantFrom(...permissions)).map((list) => new Set(list)),
    anyProject: fc.boolean(),
    agentId: fc.option(fc.string()),
    sessionId: fc.option(fc.string()),
    tokenId: fc.option(fc.string()),
    loginId: fc.option(fc.string()),
    computerId: fc.option(fc.string()),
  })
  .map(({ agentId, sessionId, tokenId, loginId, computerId, ...rest }) => ({
    ...rest,
    ...(agentId === null ? {} : { agentId }),
    ...(sessionId === null ? {} : { sessionId }),
    ...(tokenId === null ? {} : { tokenId }),
    ...(loginId === null ? {} : { loginId }),
    ...(computerId === null ? {} : { computerId }),
  }));

function refuses(verify: () => unknown, reason: Reason = Reason.PRINCIPAL_REFUSED): void {
  assert.throws(verify, (error) => readRpcError(error).reason === reason);
}

describe("signed principals", () => {
  test("a signed principal verifies as the same principal", () => {
    const clock = new ManualClock();
    const signer = createPrincipalSigner(secrets, clock);
    const verifier = createPrincipalVerifier(secrets, clock);
    fc.assert(
      fc.property(principals, (principal) => {
        assert.deepEqual(verifier.verify(signer.sign(principal)), principal);
      }),
    );
  });

  test("admin implies approve for a key, and for no token or credential of one agent", () => {
    const key = {
      projectId: "prj_1",
      keyId: "key_1",
      permissions: new Set(["admin" as const]),
      anyProject: false,
    };
    assert.ok(hasPermission(key, "approve"));
    for (const limit of [{ agentId: "agt_1" }, { sessionId: "ses_1" }, { tokenId: "tok_1" }]) {
      assert.ok(!hasPermission({ ...key, ...limit }, "approve"));
    }
  });

  test("the principal of a computer has no permission, whatever its key was given", () => {
    const ofComputers = principals.map((principal) => ({ ...principal, computerId: "cmp_1" }));
    fc.assert(
      fc.property(ofComputers, fc.constantFrom(...permissions), (principal, permission) => {
        assert.ok(!hasPermission(principal, permission));
      }),
    );
  });

  test("any change to a signed principal is detected", () => {
    const clock = new ManualClock();
    const verifier = createPrincipalVerifier(secrets, clock);
    const text = createPrincipalSigner(secrets, clock).sign({
      projectId: "prj_1",
      keyId: "key_1",
      permissions: new Set(["agents"]),
      anyProject: false,
    });
    const inner = fc.integer({ min: 0, max: text.length - 2 });
    fc.assert(
      fc.property(inner, fc.constantFrom(..."AZaz09-_.="), (at, replacement) => {
        fc.pre(text[at] !== replacement);
        refuses(() => verifier.verify(text.slice(0, at) + replacement + text.slice(at + 1)));
      }),
    );
    for (const other of ["", ".", "..", "p1..", text.slice(0, -2), `${text}.x`, "x".repeat(100_000)]) {
      refuses(() => verifier.verify(other));
    }
  });

  test("a principal signed with another secret is refused", () => {
    const clock = new ManualClock();
    const signer = createPrincipalSigner([new Secret("another")], clock);
    const [sample] = fc.sample(principals, 1);
    assert.ok(sample !== undefined);
    refuses(() => createPrincipalVerifier(secrets, clock).verify(signer.sign(sample)));
  });

  test("only who knows a secret learns that a principal has expired", () => {
    const clock = new ManualClock();
    const old = createPrincipalSigner([new Secret("another")], clock).sign(platformPrincipal);
    clock.advance(2 * principalLifetimeMs);
    refuses(() => createPrincipalVerifier(secrets, clock).verify(old));
  });

  test("a principal expires after its lifetime, whether it was verified before or not", () => {
    const clock = new ManualClock();
    const [sample] = fc.sample(principals, 1);
    assert.ok(sample !== undefined);
    const text = createPrincipalSigner(secrets, clock).sign(sample);
    const seenBefore = createPrincipalVerifier(secrets, clock);
    clock.advance(principalLifetimeMs - 1);
    seenBefore.verify(text);
    clock.advance(1);
    for (const verifier of [seenBefore, createPrincipalVerifier(secrets, clock)]) {
      refuses(() => verifier.verify(text), Reason.PRINCIPAL_EXPIRED);
    }
  });

  test("a principal that was signed in the future is refused", () => {
    const clock = new ManualClock();
    const ahead = new ManualClock();
    ahead.advance(2 * principalLifetimeMs);
    const [sample] = fc.sample(principals, 1);
    assert.ok(sample !== undefined);
    const text = createPrincipalSigner(secrets, ahead).sign(sample);
    refuses(() => createPrincipalVerifier(secrets, clock).verify(text), Reason.PRINCIPAL_EXPIRED);
  });

  test("a principal that was verified before is not parsed again", () => {
    const clock = new ManualClock();
    const [sample] = fc.sample(principals, 1);
    assert.ok(sample !== undefined);
    const verifier = createPrincipalVerifier(secrets, clock);
    const text = createPrincipalSigner(secrets, clock).sign(sample);
    assert.equal(verifier.verify(text), verifier.verify(text));
  });

  test("an empty secret is refused, wherever in the list it is, and so is an empty list", () => {
    const clock = new ManualClock();
    for (const create of [createPrincipalSigner, createPrincipalVerifier]) {
      assert.throws(() => create([new Secret("")], clock), /is empty/);
      assert.throws(() => create([...secrets, new Secret("")], clock), /is empty/);
      assert.throws(() => create([], clock), /no secret/);
    }
  });
});

describe("the rotation of the secret", () => {
  const [old, next] = [new Secret("the old secret"), new Secret("the next secret")];
  const steps = [[old], [old, next], [next, old], [next]];
  const accepts = (signing: readonly Secret[], verifying: readonly Secret[]) => {
    const clock = new ManualClock();
    const text = createPrincipalSigner(signing, clock).sign(platformPrincipal);
    try {
      createPrincipalVerifier(verifying, clock).verify(text);
      return true;
    } catch (error) {
      assert.equal(readRpcError(error).reason, Reason.PRINCIPAL_REFUSED);
      return false;
    }
  };

  test("processes of one step and of the next accept each other, and those further apart may not", () => {
    const accepted = steps.map((signing) => steps.map((verifying) => accepts(signing, verifying)));
    assert.deepEqual(accepted, [
      [true, true, true, false],
      [true, true, true, false],
      [false, true, true, true],
      [false, true, true, true],
    ]);
  });

  test("a principal that was signed before the next step is the same principal after it", () => {
    const clock = new ManualClock();
    const verifiers = [
      [old, next],
      [next, old],
    ].map((each) => createPrincipalVerifier(each, clock));
    fc.assert(
      fc.property(principals, (principal) => {
        const text = createPrincipalSigner([old], clock).sign(principal);
        for (const verifier of verifiers) assert.deepEqual(verifier.verify(text), principal);
      }),
    );
  });
});

describe("the principal of the workforce service", () => {
  test("it is recognised after it was signed, acts in one project and is not the platform", () => {
    const clock = new ManualClock();
    const signed = createPrincipalSigner(secrets, clock).sign(workforcePrincipal("prj_1"));
    const verified = createPrincipalVerifier(secrets, clock).verify(signed);
    assert.deepEqual(verified, workforcePrincipal("prj_1"));
    assert.ok(isWorkforce(verified));
    assert.ok(!isPlatform(verified));
    assert.equal(verified.anyProject, false);
    assert.ok(!verified.permissions.has("mint-tokens"));
  });

  test("no principal of a key or token passes for it, whatever its permissions", () => {
    assert.ok(!isWorkforce(platformPrincipal));
    assert.ok(!isWorkforce(workforcePrincipal("")));
    const ofKeys = principals.map((principal) => ({ ...principal, keyId: `key_${principal.keyId}` }));
    fc.assert(fc.property(ofKeys, (principal) => !isWorkforce(principal)));
    const ofTokens = fc.constantFrom({ tokenId: "tok_1" }, { sessionId: "ses_1" });
    fc.assert(fc.property(ofTokens, (token) => !isWorkforce({ ...workforcePrincipal("prj_1"), ...token })));
  });
});
