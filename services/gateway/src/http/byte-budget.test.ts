import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { HttpProblem } from "../errors/http-problem.ts";
import { ByteBudget } from "./byte-budget.ts";

const open = () => new ByteBudget(100, "There are other requests.");

function isRefusal(error: unknown): boolean {
  return (
    error instanceof HttpProblem &&
    error.code === "UNAVAILABLE" &&
    /other requests\. Wait/.test(error.message)
  );
}

describe("a budget of bytes", () => {
  test("a reservation beyond the bound is refused until another one has ended", () => {
    const budget = open();
    const end = budget.reserve(40, "a");
    budget.reserve(40, "b");
    assert.throws(() => budget.reserve(21, "c"), isRefusal);
    end();
    end();
    budget.reserve(50, "c");
    assert.throws(() => budget.reserve(11, "a"), isRefusal);
  });

  test("one project can reserve half of it", () => {
    const budget = open();
    const end = budget.reserve(30, "a");
    budget.reserve(20, "a");
    assert.throws(() => budget.reserve(1, "a"), isRefusal);
    budget.reserve(50, "b");
    end();
    budget.reserve(30, "a");
  });
});
