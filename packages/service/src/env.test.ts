import assert from "node:assert/strict";
import { inspect } from "node:util";
import { test } from "vitest";
import { ConfigError, readEnvironment } from "./env.ts";

const read = readEnvironment({
  PORT: "8080",
  BAD: "80x",
  ON: "true",
  EMPTY: " ",
  LEVEL: "info",
  URL: "http://a",
  KEY: "s3cret",
});

test("settings are parsed into their types, and an empty setting counts as absent", () => {
  assert.equal(read.integer("PORT", 1, { min: 0, max: 65_535 }), 8080);
  assert.equal(read.integer("NONE", 7, { min: 0, max: 10 }), 7);
  assert.equal(read.boolean("ON", false), true);
  assert.equal(read.string("EMPTY"), undefined);
  assert.equal(read.oneOf("LEVEL", ["info", "warn"], "warn"), "info");
  assert.equal(read.url("URL")?.host, "a");
});

test("an invalid or missing setting is reported by the name of its variable", () => {
  const wrong: Array<[string, () => unknown]> = [
    ["BAD", () => read.integer("BAD", 1, { min: 0, max: 10 })],
    ["PORT", () => read.integer("PORT", 1, { min: 0, max: 10 })],
    ["LEVEL", () => read.boolean("LEVEL", true)],
    ["PORT", () => read.oneOf("PORT", ["a"], "a")],
    ["LEVEL", () => read.url("LEVEL")],
    ["EMPTY", () => read.required("EMPTY", "full")],
  ];
  for (const [variable, act] of wrong) {
    assert.throws(
      act,
      (error) =>
        error instanceof ConfigError && error.variable === variable && error.message.startsWith(variable),
    );
  }
});

test("a secret is shown only on explicit request", () => {
  const secret = read.secret("KEY");
  assert.equal(secret?.reveal(), "s3cret");
  for (const shown of [`${secret}`, JSON.stringify({ secret }), inspect({ secret })])
    assert.doesNotMatch(shown, /s3cret/);
});
