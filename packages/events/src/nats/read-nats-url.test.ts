import assert from "node:assert/strict";
import { test } from "vitest";
import { createNames } from "./names.ts";
import { readNatsUrl } from "./read-nats-url.ts";

test("NATS addresses are parsed into addresses and credentials", () => {
  assert.deepEqual(readNatsUrl("nats://localhost"), { servers: ["localhost:4222"] });
  assert.deepEqual(readNatsUrl("nats://one:1, nats://two:2"), { servers: ["one:1", "two:2"] });
  assert.deepEqual(readNatsUrl("nats://me:p%40ss@host:1"), { servers: ["host:1"], user: "me", pass: "p@ss" });
  assert.deepEqual(readNatsUrl("nats://tok@host:1"), { servers: ["host:1"], token: "tok" });
  assert.deepEqual(readNatsUrl("tls://host:1"), { servers: ["host:1"], tls: {} });
});

test("text that is not a NATS address is refused without repeating it", () => {
  for (const text of ["", "host:4222", "http://me:hunter2@host", "nats://", "nats://a,,"]) {
    assert.throws(() => readNatsUrl(text), {
      name: "TypeError",
      message: /^((?!hunter2).)*nats:\/\/host:4222/,
    });
  }
});

test("installations with different namespaces share no stream, subject or consumer", () => {
  const [one, two] = [createNames("one"), createNames("two")];
  assert.notEqual(one.stream, two.stream);
  assert.notEqual(one.subject("auth.key-revoked"), two.subject("auth.key-revoked"));
  for (const namespace of ["", "A", "a.b", "a>", "a b"])
    assert.throws(() => createNames(namespace), TypeError);
});
