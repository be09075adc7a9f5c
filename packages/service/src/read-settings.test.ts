import assert from "node:assert/strict";
import { test } from "vitest";
import { ConfigError, type Environment, readEnvironment } from "./env.ts";
import { readBusUrl, readStoreSettings } from "./process-settings.ts";
import { ConfigErrors, readSettings } from "./read-settings.ts";
import { startProblem } from "./start-problem.ts";

const read = (env: Environment) => ({
  store: readStoreSettings(env),
  bus: readBusUrl(env),
  port: readEnvironment(env).integer("PORT", 80, { min: 0, max: 90 }),
});

/** The lines that a process with these settings prints. */
function problemsOf(env: Environment, reader: (env: Environment) => unknown = read): string[] {
  try {
    readSettings(env, reader);
    return [];
  } catch (error) {
    return startProblem("x", error).trimEnd().split("\n");
  }
}

test("valid settings are read as they are without collecting problems", () => {
  const env = { MONGODB_URI: "mongodb://h", NATS_URL: "nats://h", PORT: "7" };
  assert.deepEqual(readSettings(env, read), read(env));
});

test("a start reports every missing and every invalid setting once, each in a line, in the order in which they are read", () => {
  assert.deepEqual(problemsOf({ MONGODB_URI: " ", PORT: "eighty" }), [
    "x cannot start: MONGODB_URI must be set.",
    "x cannot start: NATS_URL must be set.",
    'x cannot start: PORT must be a whole number from 0 to 90, not "eighty".',
  ]);
  assert.deepEqual(problemsOf({ MONGODB_URI: "postgres://h", NATS_URL: "http://h" }), [
    "x cannot start: MONGODB_URI must look like mongodb://host:27017/?replicaSet=name.",
    "x cannot start: NATS_URL must look like nats://host:4222 or tls://host:4222.",
  ]);
});

test("a single problem is the ConfigError itself, and another error passes unchanged", () => {
  const only = new ConfigError("PORT", "is taken");
  const fail = (error: Error) => () => {
    throw error;
  };
  assert.throws(
    () => readSettings({}, fail(only)),
    (error) => error === only,
  );
  const bug = new TypeError("a bug");
  assert.throws(
    () => readSettings({}, fail(bug)),
    (error) => error === bug,
  );
});

test("a problem that no value of its variable removes ends the search with the problems found", () => {
  const stubborn = (env: Environment) => {
    readBusUrl(env);
    throw new ConfigError("PORT", "is never right", "1");
  };
  assert.throws(
    () => readSettings({ PORT: "2" }, stubborn),
    (error) =>
      error instanceof ConfigErrors &&
      error.problems.map(({ variable }) => variable).join() === "NATS_URL,PORT",
  );
});
