import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "vitest";
import { until } from "./until.ts";

test("until resolves once its condition is true", async () => {
  let checks = 0;
  await until(() => ++checks === 3);
  assert.equal(checks, 3);
});

test("until rejects with its clause after the deadline", async () => {
  await assert.rejects(
    until("the moon is full", () => false, 20),
    /in vain until the moon is full/,
  );
});

test("until checks its condition as often if each check takes long", async () => {
  let checks = 0;
  await until(
    "the third check",
    async () => {
      await delay(50);
      return ++checks === 3;
    },
    20,
  );
});

test("until passes on the failure of its condition", async () => {
  await assert.rejects(
    until(() => Promise.reject(new Error("broken"))),
    /broken/,
  );
});
