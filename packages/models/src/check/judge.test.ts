import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import fc from "fast-check";
import { describe, test } from "vitest";
import { check, say, serve } from "../../test/support/fake-provider.ts";

const key = "sk-very-secret-key";
type Scope = Parameters<typeof serve>[0];

/** The check of a server at OPENAI_BASE_URL. */
async function find(t: Scope, answer: RequestListener, options: Parameters<typeof check>[1] = {}) {
  const { baseUrl } = await serve(t, answer);
  const found = await check({ OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: key }, options);
  assert.ok(!found.message?.includes(key), found.message);
  assert.doesNotMatch(found.message ?? "", /127\.0\.0\.1/);
  return found;
}

const wrongAtGoogle = {
  error: {
    code: 400,
    message: "API key not valid. Please pass a valid API key.",
    status: "INVALID_ARGUMENT",
    details: [{ reason: "API_KEY_INVALID" }],
  },
};
const wrongAtXai = {
  code: "Client specified an invalid argument",
  error: "Incorrect%20API%20key%20provided:%20ba***na.",
};
const noScope = { error: { message: "You have insufficient permissions. Missing scopes: api.model.read." } };

const answers = [
  {
    what: "401",
    answer: say(401, { error: { message: key } }),
    status: "key_refused",
    message: /correct OPENAI_API_KEY/,
  },
  {
    what: "403",
    answer: say(403, { error: { message: `${key} of 10.0.0.1 is blocked` } }),
    status: "key_refused",
    message: /It says: \[secret\] of \[address\] is blocked/,
  },
  { what: "402", answer: say(402, {}), status: "key_refused", message: /top up/ },
  {
    what: "Google's 400 for a wrong key",
    answer: say(400, wrongAtGoogle),
    status: "key_refused",
    message: /correct/,
  },
  {
    what: "xAI's 400 for a wrong key",
    answer: say(400, wrongAtXai),
    status: "key_refused",
    message: /correct/,
  },
  {
    what: "any other 400",
    answer: say(400, { error: { message: "No tenant" } }),
    status: "unreachable",
    message: /\(status 400\).* No tenant$/,
  },
  {
    what: "a 403 for a key that may not list models",
    answer: say(403, noScope),
    status: "ok",
    message: /may not list/,
  },
  {
    what: "404 at the operator's own base URL",
    answer: say(404, "no"),
    status: "ok",
    message: /key was not checked.*OPENAI_BASE_URL/,
  },
  {
    what: "405 at the operator's own base URL",
    answer: say(405, ""),
    status: "ok",
    message: /key was not checked/,
  },
  { what: "429", answer: say(429, {}), status: "ok", message: /try again later/ },
  { what: "408", answer: say(408, {}), status: "unreachable", message: /is failing \(status 408\)/ },
  { what: "503", answer: say(503, "<html>"), status: "unreachable", message: /\(status 503\)/ },
  {
    what: "204 without a body",
    answer: say(204, ""),
    status: "unreachable",
    message: /could not be read/,
  },
  {
    what: "HTML instead of JSON",
    answer: say(200, "<!doctype html><title>Hi"),
    status: "unreachable",
    message: /could not be read; check OPENAI_BASE_URL/,
  },
  {
    what: "an error with status 200",
    answer: say(200, { error: "no" }),
    status: "unreachable",
    message: /could not be read/,
  },
  { what: "binary data", answer: say(200, "\0\u0001{"), status: "unreachable", message: /could not be read/ },
  {
    what: "Ollama's empty list",
    answer: say(200, { object: "list", data: null }),
    status: "ok",
    message: /^$/,
  },
  { what: "a bare array", answer: say(200, []), status: "ok", message: /^$/ },
] as const;

describe("the response of a provider that is checked", () => {
  for (const { what, answer, status, message } of answers) {
    test(`a provider that sends ${what} is reported as ${status}`, async (t) => {
      const found = await find(t, answer);
      assert.equal(found.status, status);
      assert.match(found.message ?? "", message);
    });
  }

  test("a 401 without a configured key is reported with the variable to set", async (t) => {
    const { baseUrl } = await serve(t, say(401, {}));
    const found = await check({ LOCAL_BASE_URL: baseUrl });
    assert.deepEqual([found.status, /set LOCAL_API_KEY/.test(found.message ?? "")], ["key_refused", true]);
  });

  test("a 404 at the provider's own address is reported as unreachable", async () => {
    const fetch = async () => new Response("no", { status: 404 });
    const found = await check({ OPENAI_API_KEY: key }, { fetch });
    assert.equal(found.status, "unreachable");
    assert.match(found.message ?? "", /check the network/);
  });

  test("a key that a header cannot contain is refused before the check, with a message that does not repeat it", async () => {
    const fetch = () => assert.fail("It was sent");
    const found = await check({ OPENAI_API_KEY: `${key}\u2026` }, { fetch });
    assert.equal(found.status, "key_refused");
    assert.match(found.message ?? "", /^[^…]*cannot be sent; correct OPENAI_API_KEY\.$/);
  });

  test("any response of a server is reported without its key", async (t) => {
    const server = { status: 200, body: "" };
    const { baseUrl } = await serve(t, (request, response) =>
      say(server.status, server.body)(request, response),
    );
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.string().map((said) => JSON.stringify({ error: { message: said + key } })),
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 200, max: 599 }), text, async (status, body) => {
        Object.assign(server, { status, body });
        const found = await check({ OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: key });
        assert.notEqual(found.status, "not_configured");
        assert.ok(!found.message?.includes(key), found.message);
      }),
      { numRuns: 200 },
    );
  });
});

describe("a provider that does not respond is unreachable", () => {
  test("a provider at a port without a listener is unreachable", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const address = server.address();
    await new Promise((resolve) => server.close(resolve));
    assert.ok(address !== null && typeof address === "object");
    const found = await check({ LOCAL_BASE_URL: `http://127.0.0.1:${address.port}` });
    assert.equal(found.status, "unreachable");
    assert.match(
      found.message ?? "",
      /^The model provider local could not be reached \(ECONNREFUSED\); check LOCAL_BASE_URL\.$/,
    );
  });

  for (const [what, answer] of [
    ["silent from the start", () => {}],
    ["silent in the middle of its response", (_, response) => void response.writeHead(200).write("{")],
  ] satisfies Array<[string, RequestListener]>) {
    test(`the check of a provider that is ${what} ends at its time limit and closes the connection`, async (t) => {
      const gone = Promise.withResolvers<void>();
      const found = await find(
        t,
        (request, response) => {
          request.socket.once("close", () => gone.resolve());
          answer(request, response);
        },
        // Long enough for the request to arrive on a busy machine.
        { checkTimeoutMs: 1_000 },
      );
      assert.equal(found.status, "unreachable");
      assert.match(found.message ?? "", /did not respond in time/);
      await gone.promise;
    });
  }

  test("a provider whose response is cut off is unreachable", async (t) => {
    const found = await find(t, (_, response) => {
      response.writeHead(200, { "content-length": "100" }).write("{", () => response.destroy());
    });
    assert.equal(found.status, "unreachable");
    assert.match(found.message ?? "", /could not be reached \(\w+\)/);
  });
});

test("only the beginning of an endless list of models is read", async (t) => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const found = await find(t, (_, response) => {
    response.once("close", resolve);
    const write = () => {
      while (!response.destroyed && response.write(`{"data":[${" ".repeat(100_000)}`));
      response.once("drain", write);
    };
    write();
  });
  assert.equal(found.status, "ok");
  await closed;
});

describe("redirects of a provider that is checked", () => {
  for (const [client, options] of [
    ["the HTTP client of model calls", {}],
    ["the global fetch", { fetch: globalThis.fetch }],
  ] as const) {
    for (const status of [301, 302, 307, 308]) {
      test(`a redirect with ${status} is not followed by ${client}, so that the key is sent nowhere else`, async (t) => {
        const other = await serve(t, say(200, { data: [] }));
        const found = await find(t, say(status, "", { location: `${other.baseUrl}/models` }), options);
        assert.equal(found.status, "unreachable");
        assert.match(found.message ?? "", /sent a redirect; set OPENAI_BASE_URL to its target/);
        assert.deepEqual(other.requests, []);
      });
    }
  }
});
