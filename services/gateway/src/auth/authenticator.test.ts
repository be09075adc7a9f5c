import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type AuthenticateResponse, AuthenticateResponseSchema } from "@muster/proto/auth";
import { Reason } from "@muster/proto/errors";
import { rpcError } from "@muster/rpc";
import { ManualClock } from "@muster/service";
import { newCredential } from "@muster/service/credentials";
import { describe, test } from "vitest";
import { createAuthenticator } from "./authenticator.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

const [a, b] = [newCredential("key", randomBytes), newCredential("token", randomBytes)];

function setUp(answer: (credential: string) => Promise<AuthenticateResponse>) {
  const clock = new ManualClock();
  let asked = 0;
  const auth = {
    authenticate: ({ credential = "" }: { credential?: string }) => {
      asked++;
      return answer(credential);
    },
  };
  const authenticator = createAuthenticator({ auth, clock, cacheMs: 5_000, timeoutMs: 1_000 });
  return { clock, authenticator, asked: () => asked };
}

const identity = (keyId: string, expiresAtMs?: number) =>
  create(AuthenticateResponseSchema, {
    principal: {
      projectId: "default",
      keyId,
      permissions: ["sessions", "something-new"],
      ...(expiresAtMs === undefined ? {} : { expiresAt: timestampFromMs(expiresAtMs) }),
    },
  });

const tokenIdentity = (tokenId: string) => {
  const answer = identity("key_1");
  if (answer.principal) answer.principal.tokenId = tokenId;
  return answer;
};

const unauthenticated = (error: unknown) =>
  error instanceof Error && "code" in error && (error.code === "UNAUTHENTICATED" || error.code === 16);

describe("the cache of authenticated credentials", () => {
  test("the authenticator calls the auth service once for concurrent requests, and again after five seconds", async () => {
    const { authenticator, clock, asked } = setUp(async () => identity("key_1"));
    const all = await Promise.all(Array.from({ length: 50 }, () => authenticator.authenticate(a, "r")));
    assert.ok(all.every((each) => each === all[0]));
    clock.advance(4_999);
    await authenticator.authenticate(a, "r");
    assert.equal(asked(), 1);
    clock.advance(2);
    await authenticator.authenticate(a, "r");
    assert.equal(asked(), 2);
  });

  test("the authenticator keeps only known permissions", async () => {
    const { authenticator } = setUp(async () => identity("key_1"));
    const { principal } = await authenticator.authenticate(a, "r");
    assert.deepEqual([...principal.permissions], ["sessions"]);
  });

  test("a key expires to the millisecond, cached or not", async () => {
    const { authenticator, clock } = setUp(async () => identity("key_1", Date.UTC(2026, 0, 1) + 100));
    await authenticator.authenticate(a, "r");
    clock.advance(99);
    await authenticator.authenticate(a, "r");
    clock.advance(1);
    await assert.rejects(authenticator.authenticate(a, "r"), unauthenticated);
  });

  test("a revoked key is looked up again at once, and other keys stay cached", async () => {
    const { authenticator, asked } = setUp(async (credential) =>
      identity(credential === a ? "key_a" : "key_b"),
    );
    await authenticator.authenticate(a, "r");
    await authenticator.authenticate(b, "r");
    authenticator.revoke("key_a");
    await authenticator.authenticate(b, "r");
    assert.equal(asked(), 2);
    await authenticator.authenticate(a, "r");
    assert.equal(asked(), 3);
  });

  test("a result from before a revocation is not cached after it", async () => {
    const gates: Array<(answer: AuthenticateResponse) => void> = [];
    const { authenticator, asked } = setUp(() => new Promise((resolve) => gates.push(resolve)));
    const early = authenticator.authenticate(a, "r");
    authenticator.revoke("key_1");
    gates[0]?.(identity("key_1"));
    await early;
    const late = authenticator.authenticate(a, "r");
    assert.equal(asked(), 2);
    gates[1]?.(identity("key_1"));
    await late;
  });

  test("a revocation of a key forgets the identities of the tokens that it minted", async () => {
    const { authenticator, asked } = setUp(async (credential) =>
      tokenIdentity(credential === a ? "tok_a" : "tok_b"),
    );
    await authenticator.authenticate(a, "r");
    await authenticator.authenticate(b, "r");
    authenticator.revoke("tok_a");
    await authenticator.authenticate(b, "r");
    assert.equal(asked(), 2);
    await authenticator.authenticate(a, "r");
    assert.equal(asked(), 3);
    authenticator.revoke("key_1");
    await authenticator.authenticate(a, "r");
    await authenticator.authenticate(b, "r");
    assert.equal(asked(), 5);
  });

  test("other revocations do not prevent a result from being cached", async () => {
    const { authenticator, clock, asked } = setUp(async () => {
      authenticator.revoke("key_other");
      clock.advance(1);
      return identity("key_1");
    });
    await authenticator.authenticate(a, "r");
    await authenticator.authenticate(a, "r");
    assert.equal(asked(), 1);
  });

  test("a result is cached for five seconds from the question, however long the answer takes", async () => {
    const { authenticator, clock, asked } = setUp(async () => {
      clock.advance(4_000);
      return identity("key_1");
    });
    await authenticator.authenticate(a, "r");
    clock.advance(999);
    await authenticator.authenticate(a, "r");
    assert.equal(asked(), 1);
    clock.advance(2);
    await authenticator.authenticate(a, "r");
    assert.equal(asked(), 2);
  });

  test("a mistyped or invented credential costs no call", async () => {
    const { authenticator, asked } = setUp(async () => identity("key_1"));
    for (const text of ["x", `${b}0`, a.replace(/.$/, "!"), `svc_et_${"0".repeat(32)}_000000`]) {
      await assert.rejects(authenticator.authenticate(text, "r"), unauthenticated);
    }
    assert.equal(asked(), 0);
  });

  test("a rejected credential costs one call a second", async () => {
    const { authenticator, clock, asked } = setUp(async () => {
      throw rpcError(Reason.UNAUTHENTICATED, "no");
    });
    for (let i = 0; i < 5; i++) await assert.rejects(authenticator.authenticate(a, "r"), unauthenticated);
    assert.equal(asked(), 1);
    clock.advance(1_001);
    await assert.rejects(authenticator.authenticate(a, "r"), unauthenticated);
    assert.equal(asked(), 2);
  });

  test("20,000 different wrong credentials take no memory", async () => {
    const { authenticator, asked } = setUp(async () => {
      throw rpcError(Reason.UNAUTHENTICATED, "no");
    });
    const flood = async (count: number) => {
      for (let i = 0; i < count; i++) {
        const wrong = newCredential("token", randomBytes);
        await authenticator.authenticate(wrong, "r").then(
          () => assert.fail(),
          (error) => assert.ok(unauthenticated(error)),
        );
      }
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = await flood(2_000);
    const after = await flood(20_000);
    assert.equal(asked(), 22_000);
    // Remembering each of them would take 2 MB.
    assert.ok(after - before < 1_000_000, `${after - before} bytes`);
  });

  test("an outage is not cached as a rejection", async () => {
    let isDown = true;
    const { authenticator } = setUp(async () => {
      if (isDown) throw rpcError(Reason.UNAVAILABLE, "down");
      return identity("key_1");
    });
    await assert.rejects(authenticator.authenticate(a, "r"), (error) => !unauthenticated(error));
    isDown = false;
    await authenticator.authenticate(a, "r");
  });

  test("a rebuild of the bus clears the cache", async () => {
    const { authenticator, asked } = setUp(async () => identity("key_1"));
    await authenticator.authenticate(a, "r");
    authenticator.clear();
    await authenticator.authenticate(a, "r");
    assert.equal(asked(), 2);
  });
});
