import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import type { IdentityProviderDocument } from "../store/identity-providers.ts";
import { checkClaims } from "./check-claims.ts";
import { isFulfilled } from "./conditions.ts";
import { keySetOf } from "./fetch-key-set.ts";
import { algorithms, skewS } from "./limits.ts";
import { audienceOf, readToken } from "./read-token.ts";

const names = [
  "iss",
  "aud",
  "sub",
  "exp",
  "iat",
  "nbf",
  "alg",
  "kid",
  "__proto__",
  "constructor",
  "toString",
];
const name = fc.oneof(fc.constantFrom(...names), fc.string({ maxLength: 8 }));
const known = fc.constantFrom<unknown>(
  ...["https://idp.example", audienceOf("idp_1"), "RS256", "HS256", "none", "key-1", "", "agt_1"],
  ...[0, -1, 1e308, 1_000, 1_030, 1_300, null, true],
);
const value = fc.oneof(
  { weight: 3, arbitrary: known },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
);
/** Own keys only: `Object.fromEntries` also makes one of `__proto__`. */
const object = fc
  .array(fc.tuple(name, fc.oneof(value, fc.array(value, { maxLength: 3 }))), { maxLength: 14 })
  .map((entries): Record<string, unknown> => Object.fromEntries(entries));
const part = (json: unknown) => Buffer.from(JSON.stringify(json)).toString("base64url");

const provider: IdentityProviderDocument = {
  ...{ _id: "idp_1", projectId: "prj_1", name: "CI", issuer: "https://idp.example" },
  ...{ algorithms: ["RS256"], maxLifetimeS: 300, conditions: [{ claim: "constructor", equals: ["agt_1"] }] },
  scope: { agent: { claim: "__proto__" }, session: { claim: "toString" } },
  ...{ createdAt: new Date(0), updatedAt: new Date(0), outbox: [] },
};

test("whatever a token contains is read or refused, and a claim is only a property of the token itself", async () => {
  const nowMs = 1_000_000;
  let granted = 0;
  await fc.assert(
    fc.asyncProperty(object, object, fc.boolean(), async (header, claims, isLikely) => {
      // Otherwise hardly any token would get far.
      const [head, body] = isLikely
        ? [
            { alg: "RS256", kid: "key-1", ...header },
            {
              ...{ iss: provider.issuer, aud: audienceOf("idp_1"), sub: "s", iat: 1_000, exp: 1_300 },
              ...{ constructor: "agt_1", toString: "ses_1" },
              ...claims,
            },
          ]
        : [header, claims];
      const text = JSON.stringify(body);
      const payload = isLikely
        ? text.replace(/\}$/, `${text === "{}" ? "" : ","}"__proto__":"agt_1"}`)
        : text;
      const token = await readToken(`${part(head)}.${Buffer.from(payload).toString("base64url")}.AAAA`);
      if (token === undefined) return;
      const own: Record<string, unknown> = JSON.parse(payload);
      assert.ok(algorithms.includes(token.algorithm));
      assert.ok(token.kid !== "" && token.providerId === "idp_1");
      const outcome = checkClaims(token, provider, nowMs);
      if (!outcome.ok) return;
      granted++;
      const { exp, iat } = own;
      assert.ok(typeof exp === "number" && typeof iat === "number");
      assert.ok(exp + skewS > 1_000 && iat <= 1_000 + skewS && exp - iat <= 300);
      assert.ok(["constructor", "toString", "sub"].every((claim) => Object.hasOwn(own, claim)));
      assert.deepEqual([outcome.value.agentId, outcome.value.sessionId], ["agt_1", own.toString]);
    }),
    { numRuns: 600 * Number(process.env.LONG_RUN ?? 1) },
  );
  assert.ok(granted > 20, `only ${granted} tokens were granted anything`);
});

test("text with dots is never a token unless its parts are JSON objects", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.string(), fc.string(), async (...parts) => {
      assert.equal(await readToken(parts.join(".")), undefined);
      assert.equal(
        await readToken(parts.map((text) => Buffer.from(text).toString("base64url")).join(".")),
        undefined,
      );
    }),
  );
});

test("a condition on a claim that the token lacks is never fulfilled", () => {
  fc.assert(
    fc.property(object, name, fc.string(), (claims, claim, text) => {
      if (Object.hasOwn(claims, claim)) return;
      assert.equal(isFulfilled({ claim, equals: [text, "undefined", "null"] }, claims), false);
      assert.equal(isFulfilled({ claim, startsWith: "" }, claims), false);
    }),
  );
});

test("a JWK set with anything in it is refused, or has only public keys for signatures with an id", async () => {
  const fields = ["kty", "kid", "use", "alg", "n", "e", "d", "k", "crv", "x", "__proto__"];
  const texts = fc.constantFrom<unknown>("RSA", "EC", "oct", "sig", "enc", "AQAB", "key-1", "", 7, null);
  const jwk = fc
    .array(fc.tuple(fc.constantFrom(...fields), texts), { maxLength: 8 })
    .map((entries) => Object.fromEntries(entries));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(jwk, fc.jsonValue()), { maxLength: 60 }), async (keys) => {
      if (keys.length > 50) return await assert.rejects(keySetOf({ keys }));
      const set = await keySetOf({ keys });
      for (const key of set.getKey.jwks().keys) {
        assert.ok(key.kty === "RSA" || key.kty === "EC" || key.kty === "OKP");
        assert.ok(typeof key.kid === "string" && set.kids.has(key.kid));
        assert.ok(!("d" in key) && !("k" in key) && (key.use ?? "sig") === "sig");
      }
    }),
  );
  for (const keys of [undefined, null, {}, "x", 7]) await assert.rejects(keySetOf({ keys }));
});
