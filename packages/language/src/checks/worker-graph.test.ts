import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import { warmCpuTimeMs } from "../../test/support/cpu-time.ts";
import type { Format } from "../program.ts";
import { checkWorkers, type KnownAgent, maxDeclaredWorkers } from "./worker-graph.ts";

const worker = (...workers: string[]): KnownAgent => ({ format: "worker", workers });

function check(
  declared: readonly string[],
  others: Readonly<Record<string, KnownAgent>>,
  format: Format = "worker",
) {
  const workers = declared.map((slug) => ({
    slug,
    place: { path: `workers.${slug}`, position: { line: 2, column: 3 } },
  }));
  const known = new Map(Object.entries(others));
  return checkWorkers({ slug: "a", format, workers }, (slug) => known.get(slug));
}

const brief = (...args: Parameters<typeof check>) =>
  check(...args).map(({ code, path, message }) => [code, path, message.replace("Line 2, column 3: ", "")]);

test("existing workers that do not lead back to the definition are valid", () => {
  assert.deepEqual(check(["b", "c"], { b: worker("c", "gone"), c: worker() }), []);
});

test("a definition that reaches itself is an error that shows the shortest path", () => {
  const others = { b: worker("c", "d"), c: worker("a"), d: worker("c"), e: worker() };
  assert.deepEqual(brief(["b", "d", "e"], others), [
    ["WORKER_CYCLE", "workers.b", "The worker would run this agent again: a -> b -> c -> a."],
    ["WORKER_CYCLE", "workers.d", "The worker would run this agent again: a -> d -> c -> a."],
  ]);
  assert.equal(check(["b"], others)[0]?.severity, "error");
  assert.match(check(["b"], others)[0]?.message ?? "", /^Line 2, column 3: /);
});

test("a worker that declares itself is an error, even if another agent is stored under its slug", () => {
  const expected = [["WORKER_CYCLE", "workers.a", "The worker would run itself: a -> a."]];
  assert.deepEqual(brief(["a"], {}), expected);
  assert.deepEqual(brief(["a"], { a: { format: "interactive", workers: [] } }), expected);
});

test("the new definition's workers count, not the stored ones", () => {
  assert.deepEqual(check(["b"], { a: worker("c"), b: worker(), c: worker("a") }), []);
  assert.deepEqual(brief(["b"], { a: worker(), b: worker("a") })[0]?.[0], "WORKER_CYCLE");
});

test("an unknown worker and one of another format are reported with different warnings", () => {
  const others = { chat: { format: "interactive" as const, workers: ["a"] } };
  assert.deepEqual(brief(["gone", "chat"], others), [
    ["UNREACHABLE_WORKER", "workers.gone", 'The project has no active agent with the slug "gone".'],
    [
      "UNREACHABLE_WORKER",
      "workers.chat",
      'The agent "chat" has format interactive, so it cannot run as a worker.',
    ],
  ]);
  assert.ok(check(["gone", "chat"], others).every(({ severity }) => severity === "warning"));
});

test("an interactive definition is never part of a cycle, because no agent can run it as a worker", () => {
  assert.deepEqual(check(["b"], { b: worker("a") }, "interactive"), []);
  assert.deepEqual(brief(["a"], {}, "interactive")[0]?.[0], "UNREACHABLE_WORKER");
});

test("a cycle among other workers is not reported here", () => {
  assert.deepEqual(check(["b"], { b: worker("c"), c: worker("b") }), []);
});

test("a long path is shortened in the middle", () => {
  const names = Array.from({ length: 30 }, (_, index) => `n${index}`);
  const others = Object.fromEntries(names.map((name, index) => [name, worker(names[index + 1] ?? "a")]));
  assert.equal(
    brief(["n0"], others)[0]?.[2],
    "The worker would run this agent again: a -> n0 -> n1 -> n2 -> n3 -> … -> n29 -> a.",
  );
});

test("too many workers are one error", () => {
  const declared = Array.from({ length: maxDeclaredWorkers + 1 }, (_, index) => `w${index}`);
  assert.deepEqual(
    check(declared, {}).map(({ code, path }) => [code, path]),
    [["LIMIT_EXCEEDED", `workers.w${maxDeclaredWorkers}`]],
  );
  const most = declared.slice(1);
  assert.deepEqual(check(most, Object.fromEntries(most.map((slug) => [slug, worker()]))), []);
});

test("a thousand agents that all declare each other are checked quickly", () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `n${index}`);
  const others = Object.fromEntries(names.map((name) => [name, worker(...names.slice(0, 125), "a")]));
  const tookMs = warmCpuTimeMs(1_000, () => assert.equal(check(names.slice(0, 120), others).length, 120));
  assert.ok(tookMs < 1_000, `${tookMs} ms`);
});

test("checkWorkers agrees with a search of every path", () => {
  const slugs = ["a", "b", "c", "d", "e"] as const;
  const lists = fc.uniqueArray(fc.constantFrom(...slugs, "gone"));
  const agent = fc.record({
    format: fc.constantFrom<Format>("worker", "worker", "interactive"),
    workers: lists,
  });
  const others = fc.record({ b: agent, c: agent, d: agent, e: agent }, { requiredKeys: [] });
  fc.assert(
    fc.property(lists, others, (declared, partial) => {
      const known = new Map(Object.entries(partial));
      const leadsBack = (slug: string, seen: readonly string[]): boolean => {
        if (slug === "a") return true;
        const found = known.get(slug);
        if (found?.format !== "worker" || seen.includes(slug)) return false;
        return found.workers.some((callee) => leadsBack(callee, [...seen, slug]));
      };
      const issues = check(declared, Object.fromEntries(known));
      for (const slug of declared) {
        const found = issues.filter(({ path }) => path === `workers.${slug}`).map(({ code }) => code);
        const unreachable = slug !== "a" && known.get(slug)?.format !== "worker";
        const expected = leadsBack(slug, []) ? ["WORKER_CYCLE"] : unreachable ? ["UNREACHABLE_WORKER"] : [];
        assert.deepEqual(found, expected, slug);
      }
    }),
  );
});
