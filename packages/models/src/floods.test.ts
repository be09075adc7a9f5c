import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { createGzip } from "node:zlib";
import { describe, type TestContext, test } from "vitest";
import { createModels, ModelFailure, readModelsConfig, streamModel } from "./index.ts";

const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hello" }] }];

/** More than the sockets in between can buffer, and far less than an endless body. */
const enoughBytes = 64 * 1024 * 1024;

const modelIds = [
  "anthropic/claude-sonnet-4-5",
  "openai/gpt-5",
  "google/gemini-2.5-flash",
  "xai/grok-4",
  "aggregator/a/b",
  "local/a",
];

interface Flood {
  title: string;
  status: number;
  headers?: Record<string, string>;
  /** Sent once, then `piece` without end. */
  start: string;
  piece: string;
  message: RegExp;
}

const tooLarge = /is larger than this server accepts/;
const floods: Flood[] = [
  { title: "an endless line", status: 200, start: "data: ", piece: "x", message: tooLarge },
  { title: "an endless event", status: 200, start: "", piece: "data: x\n", message: tooLarge },
  { title: "endless comments", status: 200, start: "", piece: ": x\n\n", message: tooLarge },
  { title: "an endless error body", status: 500, start: "{", piece: " ", message: /internal error/ },
];

/** A provider that writes until its client leaves. */
async function startFlood(t: TestContext, { status, headers, start, piece }: Flood) {
  const block = piece.repeat(Math.ceil(65_536 / piece.length));
  const closed = Promise.withResolvers<number>();
  const server = createServer((request, response) => {
    request.socket.once("close", () => closed.resolve(request.socket.bytesWritten));
    response.writeHead(status, { "content-type": "text/event-stream", ...headers });
    const body: NodeJS.WritableStream = headers === undefined ? response : compressed(response);
    body.write(start);
    const write = () => {
      while (!response.destroyed && body.write(block));
      body.once("drain", () => setImmediate(write));
    };
    write();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return { baseUrl: `http://127.0.0.1:${address.port}/v1`, closed: closed.promise };
}

function compressed(response: ServerResponse): NodeJS.WritableStream {
  const gzip = createGzip();
  gzip.pipe(response);
  return gzip;
}

async function failureOf(modelId: string, baseUrl: string, extra: Record<string, string> = {}) {
  const prefixes = ["ANTHROPIC", "OPENAI", "GOOGLE", "XAI", "OPENROUTER", "LOCAL"];
  const environment = {
    ...Object.fromEntries(prefixes.map((prefix) => [`${prefix}_BASE_URL`, baseUrl])),
    OPENAI_API: "responses",
    MODEL_MAX_EVENT_BYTES: "65536",
    MODEL_MAX_RESPONSE_BYTES: "1000000",
    ...extra,
  };
  const models = createModels(readModelsConfig(environment));
  const resolved = await models.resolve(modelId);
  assert.ok(resolved.ok);
  try {
    for await (const _ of streamModel(resolved.model, { prompt }, models.limits));
  } catch (error) {
    assert.ok(error instanceof ModelFailure, String(error));
    return error;
  }
  return assert.fail("The call did not fail");
}

for (const flood of floods) {
  describe(`a provider that sends ${flood.title}`, () => {
    for (const modelId of modelIds) {
      test(`${modelId} fails on ${flood.title} and closes the connection`, async (t) => {
        const { baseUrl, closed } = await startFlood(t, flood);
        const failure = await failureOf(modelId, baseUrl);
        assert.match(failure.message, flood.message);
        assert.equal(failure.errorType, "provider_error");
        assert.ok(failure.transient);
        assert.ok((await closed) < enoughBytes);
      });
    }
  });
}

describe("floods on other ways to a provider", () => {
  for (const flood of floods) {
    test(`a call through the global fetch fails on ${flood.title}`, async (t) => {
      const { baseUrl, closed } = await startFlood(t, flood);
      const failure = await failureOf("local/a", baseUrl, { NODE_USE_ENV_PROXY: "1" });
      assert.match(failure.message, flood.message);
      assert.ok((await closed) < enoughBytes);
    });

    test(`a call with a compressed response fails on ${flood.title}`, async (t) => {
      const { baseUrl, closed } = await startFlood(t, { ...flood, headers: { "content-encoding": "gzip" } });
      const failure = await failureOf("local/a", baseUrl);
      assert.match(failure.message, flood.message);
      assert.ok((await closed) < enoughBytes);
    });
  }
});
