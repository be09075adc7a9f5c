import assert from "node:assert/strict";
import { serve } from "@muster/testing";
import { test } from "vitest";
import { fetchInTest, serveTls } from "../test/support/servers.ts";
import { FetchProblem, type FetchProblemReason } from "./fetch-problem.ts";
import { createGuardedFetch, type FetchOptions, fetchGuarded } from "./guarded-fetch.ts";
import { createUrlCheck } from "./url-check.ts";

async function assertProblem(fetching: Promise<unknown>, reason: FetchProblemReason): Promise<FetchProblem> {
  const problem = await fetching.then(
    () => assert.fail("The fetch succeeded"),
    (error: unknown) => error,
  );
  assert.ok(problem instanceof FetchProblem, String(problem));
  assert.equal(problem.reason, reason);
  return problem;
}

test("a JSON document of a public https server is fetched", async (t) => {
  const port = await serveTls(t, (_request, response) => response.end('{"keys":[]}'));
  const response = await fetchInTest()(`https://files.example:${port}/jwks.json`);
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), { keys: [] });
  assert.equal(response.url.pathname, "/jwks.json");
});

const refusedUrls: ReadonlyArray<[string, FetchProblemReason]> = [
  ["", "invalid-url"],
  ["/relative", "invalid-url"],
  ["https://", "invalid-url"],
  ["http://example.com/", "not-https"],
  ["ftp://example.com/", "not-https"],
  ["file:///etc/passwd", "not-https"],
  ["data:text/plain,x", "not-https"],
  ["https://user@example.com/", "credentials-in-url"],
  ["https://user:secret@example.com/", "credentials-in-url"],
  ["https://example.com:22/", "port"],
  ["https://example.com:80/", "port"],
  ["https://example.com:6379/", "port"],
  ["https://127.0.0.1/", "private-address"],
  ["https://127.1/", "private-address"],
  ["https://0x7f000001/", "private-address"],
  ["https://2130706433/", "private-address"],
  ["https://017700000001/", "private-address"],
  ["https://0/", "private-address"],
  ["https://169.254.169.254/latest/meta-data/", "private-address"],
  ["https://[::1]/", "private-address"],
  ["https://[::]/", "private-address"],
  ["https://[::ffff:127.0.0.1]/", "private-address"],
  ["https://[::127.0.0.1]/", "private-address"],
  ["https://[64:ff9b::7f00:1]/", "private-address"],
  ["https://[fd00:ec2::254]/", "private-address"],
];

for (const [url, reason] of refusedUrls) {
  test(`the URL ${url || "of no characters"} is refused as ${reason}`, async () => {
    const problem = await assertProblem(fetchGuarded(url), reason);
    assert.equal(problem.isRefusal, true);
    assert.throws(() => createUrlCheck()(url), { reason });
  });
}

test("localhost is refused, however it is written", async () => {
  for (const host of ["localhost", "LOCALHOST", "localhost.", "app.localhost"]) {
    const fetching = createGuardedFetch({ resolve: async () => ["127.0.0.1"] })(`https://${host}/`);
    await assertProblem(fetching, "private-address");
  }
});

test("a name is refused if one of its addresses is not public, and no connection is made to it", async () => {
  for (const forbidden of [
    "10.0.0.1",
    "169.254.169.254",
    "::1",
    "::ffff:10.0.0.1",
    "fe80::1",
    "not an address",
  ]) {
    const fetch = createGuardedFetch({ resolve: async () => ["93.184.216.34", forbidden] });
    const problem = await assertProblem(fetch("https://rebound.example/"), "private-address");
    assert.doesNotMatch(problem.message, /10\.0\.0|169\.254|::/, "the message shows no internal address");
  }
});

test("the address of a name is checked when connecting, so a name that rebinds between two fetches is refused", async (t) => {
  const port = await serveTls(t, (_request, response) => response.end("reached"));
  const answers = [["127.0.0.1"], ["10.0.0.1"]];
  const fetch = fetchInTest({ resolve: async () => answers.shift() ?? [] });
  assert.equal(await (await fetch(`https://files.example:${port}/`)).text(), "reached");
  await assertProblem(fetch(`https://files.example:${port}/`), "private-address");
});

test("a name is resolved once per connection, so no second answer of DNS is connected to", async (t) => {
  let resolved = 0;
  const port = await serveTls(t, (_request, response) => response.end("reached"));
  const fetch = fetchInTest({ resolve: async () => (++resolved === 1 ? ["127.0.0.1"] : ["10.0.0.1"]) });
  assert.equal(await (await fetch(`https://files.example:${port}/`)).text(), "reached");
  assert.equal(resolved, 1);
});

test("the address of the open connection is checked before anything is sent", async (t) => {
  const requests: string[] = [];
  const port = await serveTls(t, ({ url = "" }, response) => {
    requests.push(url);
    response.end();
  });
  let checks = 0;
  const fetch = fetchInTest({ isPublic: () => ++checks === 1 });
  await assertProblem(fetch(`https://files.example:${port}/`), "private-address");
  assert.deepEqual([checks, requests], [2, []]);
});

test("a server without a valid certificate is not reachable", async (t) => {
  const port = await serveTls(t, (_request, response) => response.end());
  const problem = await assertProblem(fetchInTest()(`https://third.example:${port}/`), "unreachable");
  assert.equal(problem.isRefusal, false);
});

test("a name without addresses is an unknown host", async () => {
  await assertProblem(fetchInTest({ resolve: async () => [] })("https://files.example/"), "unknown-host");
  const failing = async () => Promise.reject(new Error("SERVFAIL"));
  await assertProblem(fetchInTest({ resolve: failing })("https://files.example/"), "unknown-host");
});

test("names are resolved by DNS, within the time of the fetch", async () => {
  const fetching = fetchGuarded("https://no-such-host.invalid/", { timeoutMs: 2_000 });
  const problem = await fetching.then(
    () => assert.fail("The fetch succeeded"),
    (error: unknown) => error,
  );
  // A machine without a network has no name server that answers.
  assert.ok(problem instanceof FetchProblem && ["unknown-host", "too-slow"].includes(problem.reason));
});

test("a private origin may have a name that only the machine's own resolver knows", async (t) => {
  const url = (await serve(t, (_request, response) => response.end("internal"))).replace(
    "127.0.0.1",
    "localhost",
  );
  const response = await createGuardedFetch({ privateOrigins: [url] })(url);
  assert.equal(await response.text(), "internal");
});

test("a private origin that the operator lists is fetched, over http too, and no other port or scheme of it", async (t) => {
  const url = await serve(t, (_request, response) => response.end("internal"));
  const fetch = createGuardedFetch({ privateOrigins: [url] });
  assert.equal(await (await fetch(`${url}/path`)).text(), "internal");
  const { port } = new URL(url);
  await assertProblem(fetch(`https://127.0.0.1:${port}/`), "private-address");
  await assertProblem(fetch("http://127.0.0.1:1/"), "not-https");
});

test("a list of private origins with a mistake stops the start", () => {
  for (const origin of ["", "127.0.0.1", "http://a/path", "https://a?x", "ftp://a", "https://u:p@a", "*"]) {
    assert.throws(() => createGuardedFetch({ privateOrigins: [origin] }), TypeError, origin);
  }
});

test("hosts and endings of names that the operator lists are fetched, over http too, and no others", async (t) => {
  const { port } = new URL(await serve(t, (_request, response) => response.end("internal")));
  const resolve = async () => ["127.0.0.1"];
  const fetch = createGuardedFetch({ privateHosts: ["127.0.0.1", "a.internal", ".corp.internal"], resolve });
  for (const host of ["127.0.0.1", "a.internal", "b.corp.internal", "c.b.corp.internal"])
    assert.equal(await (await fetch(`http://${host}:${port}/`)).text(), "internal");
  for (const host of ["127.0.0.2", "b.a.internal", "a.internal.example", "corp.internal", "xcorp.internal"])
    await assertProblem(fetch(`http://${host}:${port}/`), "not-https");
  await assertProblem(fetch(`https://corp.internal:${port}/`), "private-address");
  await assertProblem(fetch(`ftp://a.internal:${port}/`), "not-https");
});

test("a list of private hosts with a mistake stops the start", () => {
  for (const host of [
    "",
    ".",
    "a.",
    "*",
    "*.a",
    "a:80",
    "http://a",
    "A",
    "127.1",
    ".0.0.1",
    "a..b",
    "a/b",
    "u@a",
  ])
    assert.throws(() => createGuardedFetch({ privateHosts: [host] }), TypeError, host);
});

test("a connection is reported before the request is sent, and none if the host cannot be reached", async (t) => {
  const url = await serve(t, (_request, response) => response.end("x"));
  const fetch = createGuardedFetch({ privateOrigins: [url, "http://127.0.0.1:1"] });
  let connections = 0;
  const onConnect = () => connections++;
  (await fetch(url, { onConnect })).body.destroy();
  await assertProblem(fetch("http://127.0.0.1:1", { onConnect }), "unreachable");
  assert.equal(connections, 1);
});

test("mayVisit narrows the URLs, redirects included", async (t) => {
  const port = await serveTls(t, ({ url }, response) => {
    if (url === "/") return response.end("here");
    return response.writeHead(302, { location: `https://other.example:${port}/` }).end();
  });
  const options: FetchOptions = { mayVisit: ({ hostname }) => hostname === "files.example" };
  const fetch = fetchInTest();
  assert.equal(await (await fetch(`https://files.example:${port}/`, options)).text(), "here");
  await assertProblem(fetch(`https://other.example:${port}/`, options), "not-allowed");
  await assertProblem(fetch(`https://files.example:${port}/away`, options), "not-allowed");
});

test("headers that say where a request goes or ends, and methods that open tunnels, are refused", async () => {
  for (const name of [
    "Host",
    "Content-Length",
    "Transfer-Encoding",
    "Connection",
    "Proxy-Authorization",
    "Expect",
  ]) {
    await assertProblem(
      fetchGuarded("https://example.com/", { headers: { [name]: "1" } }),
      "invalid-request",
    );
  }
  for (const method of ["CONNECT", "TRACE", "get", "GET / HTTP/1.1\r\nX: y"]) {
    await assertProblem(fetchGuarded("https://example.com/", { method }), "invalid-request");
  }
});

test("a header value with a line break is refused", async (t) => {
  const port = await serveTls(t, (_request, response) => response.end());
  const headers = { accept: "text/plain\r\nX-Injected: 1" };
  await assertProblem(fetchInTest()(`https://files.example:${port}/`, { headers }), "invalid-request");
});
