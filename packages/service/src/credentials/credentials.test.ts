import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, test } from "vitest";
import { checksumOf, formOf, hashCredential, newCredential, sameHash } from "./index.ts";

const kinds = ["key", "agent-key", "computer-token", "token", "login"] as const;
const counting = (size: number) => new Uint8Array(size).map((_zero, index) => index);

describe("new credentials", () => {
  test("a new credential has a prefix for its kind, 160 random bits and a checksum, exactly as published", () => {
    assert.equal(newCredential("key", counting), "svc_sk_0123456789abcdefghjkmnpqrstvwxyz_1Q3fj7");
    assert.equal(newCredential("agent-key", counting), "svc_agt_0123456789abcdefghjkmnpqrstvwxyz_3v0DmL");
    assert.equal(
      newCredential("computer-token", counting),
      "svc_cmp_0123456789abcdefghjkmnpqrstvwxyz_15eCxK",
    );
    assert.equal(newCredential("token", counting), "svc_et_0123456789abcdefghjkmnpqrstvwxyz_4JvcAb");
  });

  test("the checksum is the CRC-32 in base 62 with six digits", () => {
    assert.equal(checksumOf(""), "000000");
    // The check value of CRC-32 for "123456789" is cbf43926.
    assert.equal(
      [...checksumOf("123456789")].reduce((sum, digit) => sum * 62 + valueOfDigit(digit), 0),
      0xcbf43926,
    );
  });

  test("every new credential has the form of its kind", () => {
    for (const kind of kinds) {
      for (let i = 0; i < 1_000; i++) assert.equal(formOf(newCredential(kind, randomBytes)), kind);
    }
  });
});

describe("mistyped and invented credentials", () => {
  const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
  const characters = [..."0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"];

  test("a credential with one wrong character or two exchanged ones is refused", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        bytes,
        fc.integer({ min: -39, max: -1 }).filter((at) => at !== -7),
        fc.constantFrom(...characters),
        (kind, random, at, character) => {
          const good = newCredential(kind, () => random);
          const replaced = [...good].with(at, character).join("");
          if (replaced !== good) assert.equal(formOf(replaced), undefined, replaced);
          const exchanged = [...good]
            .with(at, good.at(at - 1) ?? "")
            .with(at - 1, good.at(at) ?? "")
            .join("");
          const isSeparatorMoved = good.at(at) === "_" || good.at(at - 1) === "_";
          if (exchanged !== good && !isSeparatorMoved) assert.equal(formOf(exchanged), undefined, exchanged);
        },
      ),
    );
  });

  test("a token with a missing or an additional character is refused", () => {
    fc.assert(
      fc.property(bytes, fc.nat(45), fc.constantFrom(...characters), (random, at, character) => {
        const good = newCredential("token", () => random);
        assert.equal(formOf(good.slice(0, at) + good.slice(at + 1)), undefined);
        assert.equal(formOf(good.slice(0, at) + character + good.slice(at)), undefined);
      }),
    );
  });

  test("nothing but a well-formed credential has a form", () => {
    const token = newCredential("token", counting);
    for (const nonsense of [
      "",
      "svc_sk_",
      "svc_sk_short",
      `svc_sk_${" ".repeat(32)}`,
      `Bearer svc_sk_${"a".repeat(32)}`,
      "a.b.c",
      `svc_et_${"a".repeat(32)}`,
      `svc_agt_${"a".repeat(32)}`,
      `svc_et_${"a".repeat(32)}_000000`,
      `${token} `,
      `${token}\n`,
      token.toUpperCase(),
      `svc_xx_${token.slice(7)}`,
      token.replace("svc_et_", "svc_sk_"),
    ]) {
      assert.equal(formOf(nonsense), undefined, nonsense);
    }
  });
});

describe("keys without a checksum", () => {
  test("keys of earlier releases and keys that an operator chose keep their form", () => {
    for (const key of [
      `svc_sk_${"0123456789abcdefghjkmnpqrstvwxyz"}`,
      `svc_sk_${"a".repeat(32)}`,
      `svc_sk_${"deadbeef".repeat(6)}`,
      `svc_sk_${"A-_z".repeat(32)}`,
      // A text as long as a key with a checksum, but without the separator.
      `svc_sk_${"0".repeat(38)}`,
      `svc_sk_${"0".repeat(39)}`,
    ]) {
      assert.equal(formOf(key), "key", key);
    }
  });
});

test("hashes are SHA-256 in hexadecimal and are equal only for equal credentials", () => {
  assert.equal(hashCredential("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  assert.ok(sameHash(hashCredential("a"), hashCredential("a")));
  assert.ok(!sameHash(hashCredential("a"), hashCredential("b")));
  assert.ok(!sameHash("a", "ab"));
});

function valueOfDigit(digit: string): number {
  return "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".indexOf(digit);
}
