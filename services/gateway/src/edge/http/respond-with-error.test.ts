import assert from "node:assert/strict";
import { createLogger } from "@muster/service";
import { fastify } from "fastify";
import { type TestContext, test } from "vitest";
import { HttpProblem } from "../errors/http-problem.ts";
import { respondWithError } from "./respond-with-error.ts";

/** The lines that are logged when a route throws. */
async function linesFor(t: TestContext, thrown: Error): Promise<string[]> {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const loggerInstance = createLogger({ name: "test", level: "warn", destination });
  const app = fastify({ loggerInstance });
  t.onTestFinished(() => app.close());
  app.setErrorHandler((error, _request, reply) => respondWithError(error, reply));
  app.get("/thing", () => {
    throw thrown;
  });
  await app.inject({ url: "/thing?q=hush" });
  return lines;
}

test("a failure of the server is logged with its stack and without the query", async (t) => {
  const [line = "", ...more] = await linesFor(t, new Error("a bug"));
  assert.equal(more.length, 0);
  assert.match(line, /"level":50.*a bug.*"stack"/);
  assert.doesNotMatch(line, /hush/);
});

test("an unreachable service is logged as one warning without a stack", async (t) => {
  const [line = "", ...more] = await linesFor(t, new HttpProblem("UNAVAILABLE", "Auth cannot be reached."));
  assert.equal(more.length, 0);
  assert.match(line, /"level":40.*Auth cannot be reached/);
  assert.doesNotMatch(line, /"stack"/);
});

test("a caller's mistake is not logged", async (t) => {
  assert.deepEqual(await linesFor(t, new HttpProblem("NOT_FOUND", "There is no such thing.")), []);
});
