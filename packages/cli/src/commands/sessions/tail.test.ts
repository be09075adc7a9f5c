import assert from "node:assert/strict";
import { serve } from "@muster/testing";
import { test } from "vitest";
import { StartedMuster } from "../../../test/support/index.ts";

const log = (...texts: string[]) => ({
  sessionId: "ses_1",
  entries: texts.map((text, index) => ({ type: "message", sequence: index + 1, text })),
  total: texts.length,
  truncated: false,
});

const refusal = (code: string) => ({ error: "Try again.", code, requestId: "req_1" });

test("a watch outlives responses that pass, and ends with one that does not", async (t) => {
  const responses: [number, object][] = [
    [200, log("first")],
    [503, refusal("UNAVAILABLE")],
    [429, refusal("RATE_LIMITED")],
    [200, log("first", "second")],
    [404, refusal("NOT_FOUND")],
  ];
  const url = await serve(t, (_request, response) => {
    const [status, body] = responses.shift() ?? [500, {}];
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  const env = { MUSTER_URL: url, MUSTER_API_KEY: "svc_sk_x" };
  const { code, out, err } = await new StartedMuster(["sessions", "tail", "ses_1"], { env }).finished;
  assert.deepEqual([code, responses.length], [1, 0]);
  assert.match(out, /^[^\n]*first[^\n]*\n[^\n]*second[^\n]*\n$/);
  assert.match(err, /NOT_FOUND/);
});
