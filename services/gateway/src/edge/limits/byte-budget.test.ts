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

const owner = (projectId: string, principal = "key") => ({ projectId, principal });

describe("a budget of bytes", () => {
  test("a reservation beyond the bound is refused until another one has ended", () => {
    const budget = open();
    const first = budget.reserve(20, owner("a"));
    for (const name of ["b", "c", "d"]) budget.reserve(25, owner(name));
    assert.throws(() => budget.reserve(6, owner("e")), isRefusal);
    first.end();
    first.end();
    budget.reserve(25, owner("e"));
    assert.throws(() => budget.reserve(1, owner("f")), isRefusal);
  });

  test("one project can reserve half of it, and one principal half of that", () => {
    const budget = open();
    const first = budget.reserve(20, owner("a", "x"));
    assert.throws(() => budget.reserve(6, owner("a", "x")), isRefusal);
    budget.reserve(25, owner("a", "y"));
    budget.reserve(5, owner("a", "z"));
    assert.throws(() => budget.reserve(1, owner("a", "z")), isRefusal);
    budget.reserve(25, owner("b", "z"));
    first.end();
    budget.reserve(20, owner("a", "x"));
  });

  test("a reservation grows within the bounds, and frees all of it at its end", () => {
    const budget = open();
    const growing = budget.reserve(0, owner("a"));
    growing.growTo(10);
    growing.growTo(25);
    growing.growTo(5);
    assert.throws(() => growing.growTo(26), isRefusal);
    assert.throws(() => budget.reserve(1, owner("a")), isRefusal);
    growing.end();
    growing.growTo(25);
    budget.reserve(25, owner("a"));
  });
});
