import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { serve, type TestScope } from "@muster/testing";
import { test } from "vitest";
import { fetchInTest, serveTls } from "../test/support/servers.ts";
import type { FetchProblemReason } from "./fetch-problem.ts";

/** Redirects `/` to the location, and answers everything else with the received request. */
async function redirecting(t: TestScope, location: (port: number) => string | undefined, status = 302) {
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    if (request.url === "/") {
      const target = location(port);
      return response
        .writeHead(status, target === undefined ? {} : { location: target })
        .end("x".repeat(100_000));
    }
    const { authorization, cookie, accept } = request.headers;
    const chunks: Buffer[] = [];
    return request
      .on("data", (chunk: Buffer) => chunks.push(chunk))
      .on("end", () => {
        const body = Buffer.concat(chunks).toString();
        const secret = request.headers["x-api-key"];
        response.end(
          JSON.stringify({
            method: request.method,
            host: request.headers.host,
            authorization,
            cookie,
            accept,
            secret,
            body,
          }),
        );
      });
  };
  const port: number = await serveTls(t, answer);
  return { url: `https://files.example:${port}/`, port };
}

test("a redirect is followed, and the response names its origin", async (t) => {
  const { url, port } = await redirecting(t, () => "/there?x=1#part");
  const response = await fetchInTest()(url);
  assert.equal(response.url.href, `https://files.example:${port}/there?x=1`);
  assert.equal(response.status, 200);
  response.body.destroy();
});

const forbidden: ReadonlyArray<[string, FetchProblemReason]> = [
  ["https://127.0.0.2/", "private-address"],
  ["https://10.0.0.1/", "private-address"],
  ["https://[::ffff:10.0.0.1]/", "private-address"],
  ["https://internal.example/", "private-address"],
  ["http://files.example/", "not-https"],
  ["file:///etc/passwd", "not-https"],
  ["https://user:password@files.example/", "credentials-in-url"],
  ["//10.0.0.1/", "private-address"],
  ["https://[/", "bad-response"],
];

for (const [location, reason] of forbidden) {
  test(`a redirect to ${location} is refused as ${reason}`, async (t) => {
    const { url } = await redirecting(t, () => location);
    const resolve = async (name: string) => [name === "files.example" ? "127.0.0.1" : "10.0.0.1"];
    await assert.rejects(fetchInTest({ resolve })(url), { name: "FetchProblem", reason });
  });
}

test("a redirect to a private server never reaches it", async (t) => {
  let reached = 0;
  const internal = await serve(t, (_request, response) => {
    reached++;
    response.end();
  });
  const { url } = await redirecting(t, () => internal);
  await assert.rejects(fetchInTest()(url), { reason: "not-https" });
  assert.equal(reached, 0);
});

test("redirects end after the limit, in a circle too", async (t) => {
  const { url } = await redirecting(t, () => "/");
  await assert.rejects(fetchInTest()(url), { reason: "too-many-redirects" });
  await assert.rejects(fetchInTest()(url, { redirects: 0 }), { reason: "too-many-redirects" });
});

test("a redirect without a location is a bad response", async (t) => {
  const { url } = await redirecting(t, () => undefined);
  await assert.rejects(fetchInTest()(url), { reason: "bad-response" });
});

test("a redirect is the response if the caller wants it", async (t) => {
  const { url } = await redirecting(t, () => "https://10.0.0.1/");
  const response = await fetchInTest()(url, { redirects: "return" });
  assert.deepEqual([response.status, response.headers.get("location")], [302, "https://10.0.0.1/"]);
  response.body.destroy();
});

test("another origin gets no credentials and no header that could be one", async (t) => {
  const { url, port } = await redirecting(t, (own) => `https://other.example:${own}/there`);
  const headers = { Authorization: "Bearer x", Cookie: "a=b", "X-Api-Key": "k", Accept: "application/json" };
  const received = await (await fetchInTest()(url, { headers })).json();
  assert.deepEqual(received, {
    method: "GET",
    host: `other.example:${port}`,
    accept: "application/json",
    body: "",
  });
});

test("the same origin keeps them", async (t) => {
  const { url } = await redirecting(t, () => "/there");
  const headers = { Authorization: "Bearer x", Cookie: "a=b", "X-Api-Key": "k" };
  const received = await (await fetchInTest()(url, { headers })).text();
  assert.match(received, /"authorization":"Bearer x","cookie":"a=b".*"secret":"k"/);
});

for (const [status, method, body] of [
  [301, "GET", ""],
  [302, "GET", ""],
  [303, "GET", ""],
  [307, "POST", "payload"],
  [308, "POST", "payload"],
] as const) {
  test(`a POST that is redirected with ${status} becomes ${method}`, async (t) => {
    const { url } = await redirecting(t, () => "/there", status);
    const response = await fetchInTest()(url, { method: "POST", body: "payload" });
    const received = await response.text();
    assert.match(received, new RegExp(`"method":"${method}".*"body":"${body}"`));
  });
}
