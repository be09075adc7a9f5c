import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import { ConfigError } from "./env.ts";
import { Secret } from "./secret.ts";
import { createSecretBox, type SealedText } from "./secret-box.ts";
import { readSecretsKeys } from "./secrets-keys.ts";

const [one, two] = ["11", "22"].map((byte) => new Secret(byte.repeat(32))) as [Secret, Secret];
const place = ["prj_a", "openai"];

function sealed(text: string, keys = [one], where: readonly string[] = place): SealedText {
  const { seal } = createSecretBox(keys);
  assert.ok(seal);
  return seal(text, where);
}

describe("encrypted texts", () => {
  test("any text opens again in its place, and nothing of it shows", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6 }), (ascii) => {
        const text = `${ascii}ä😀`;
        const stored = sealed(text);
        assert.deepEqual(createSecretBox([one]).open(stored, place), { ok: true, text });
        assert.ok(!JSON.stringify(stored).includes(text));
      }),
    );
  });

  test("the same text is never encrypted to the same bytes", () => {
    const all = Array.from({ length: 50 }, () => sealed("sk-secret"));
    assert.equal(new Set(all.map(({ nonce }) => nonce)).size, 50);
    assert.equal(new Set(all.map(({ text }) => text)).size, 50);
  });

  test("a text does not open in another project, for another provider, or where names are divided differently", () => {
    const stored = sealed("sk-secret");
    for (const where of [
      ["prj_b", "openai"],
      ["prj_a", "xai"],
      ["prj_a"],
      ["prj_aopenai"],
      ["prj_", "aopenai"],
      [],
    ]) {
      assert.deepEqual(createSecretBox([one]).open(stored, where), { ok: false, problem: "damaged" });
    }
  });

  test("a text with any changed bit is damaged", () => {
    const stored = sealed("sk-secret");
    const fields = ["nonce", "text", "tag"] as const;
    fc.assert(
      fc.property(
        fc.constantFrom(...fields),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (field, at, mask) => {
          const bytes = Buffer.from(stored[field], "base64");
          const index = at % bytes.length;
          bytes[index] = (bytes[index] ?? 0) ^ mask;
          const changed = { ...stored, [field]: bytes.toString("base64") };
          assert.deepEqual(createSecretBox([one]).open(changed, place), { ok: false, problem: "damaged" });
        },
      ),
    );
  });

  test("a shortened tag, an empty field and a missing field are damaged and do not throw", () => {
    const stored = sealed("sk-secret");
    const short = Buffer.from(stored.tag, "base64").subarray(0, 4).toString("base64");
    const { tag: _, ...untagged } = stored;
    for (const wrong of [
      { ...stored, tag: short },
      { ...stored, tag: "" },
      { ...stored, nonce: "" },
      JSON.parse(JSON.stringify(untagged)),
    ]) {
      assert.deepEqual(createSecretBox([one]).open(wrong, place), { ok: false, problem: "damaged" });
    }
  });

  test("after a rotation, the new key encrypts and the old one still opens; without it, the key is named as missing", () => {
    const before = sealed("sk-secret", [one]);
    const rotated = createSecretBox([two, one]);
    assert.deepEqual(rotated.open(before, place), { ok: true, text: "sk-secret" });
    const after = rotated.seal?.("sk-other", place);
    assert.ok(after && after.keyId !== before.keyId);
    const onlyNew = createSecretBox([two]);
    assert.deepEqual(onlyNew.open(after, place), { ok: true, text: "sk-other" });
    assert.deepEqual(onlyNew.open(before, place), { ok: false, problem: "unknown-key" });
  });

  test("without a key, nothing can be encrypted, and an encrypted text is reported and does not throw", () => {
    const box = createSecretBox([]);
    assert.equal(box.seal, undefined);
    assert.deepEqual(box.open(sealed("sk-secret"), place), { ok: false, problem: "unknown-key" });
  });
});

describe("MUSTER_SECRETS_KEY", () => {
  const revealed = (text: string) => readSecretsKeys({ MUSTER_SECRETS_KEY: text }).map((key) => key.reveal());

  test("32 bytes as hexadecimal digits or base64 are the same key, in the order of the list", () => {
    const bytes = Buffer.alloc(32, 7);
    const hex = bytes.toString("hex");
    for (const form of [hex, hex.toUpperCase(), bytes.toString("base64"), bytes.toString("base64url")]) {
      assert.deepEqual(revealed(form), [hex]);
    }
    assert.deepEqual(revealed(`${"ab".repeat(32)}, ${hex}`), ["ab".repeat(32), hex]);
    assert.deepEqual(readSecretsKeys({}), []);
  });

  test("a passphrase always leads to the same 32 bytes, and another one to others", () => {
    const passphrase = "four horses walk over seven old bridges";
    const [key = ""] = revealed(passphrase);
    assert.match(key, /^[0-9a-f]{64}$/);
    assert.deepEqual(revealed(passphrase), [key]);
    assert.notDeepEqual(revealed(`${passphrase}!`), [key]);
  });

  test("a short key, an empty one in a list and a key of the wrong length stop the start without being repeated", () => {
    for (const bad of ["secret", "ab".repeat(15), `${"ab".repeat(32)},`, ","]) {
      assert.throws(
        () => readSecretsKeys({ MUSTER_SECRETS_KEY: bad }),
        (error) =>
          error instanceof ConfigError &&
          error.variable === "MUSTER_SECRETS_KEY" &&
          (bad.length < 3 || !error.message.includes(bad)),
        JSON.stringify(bad),
      );
    }
  });
});
