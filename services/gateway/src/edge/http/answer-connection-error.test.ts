import assert from "node:assert/strict";
import { createIds, createLogger } from "@muster/service";
import { until } from "@muster/testing";
import Fastify, { LogController } from "fastify";
import { test } from "vitest";
import { exchange } from "../../../test/support/start-edge.ts";
import { logAccess } from "./access-log.ts";
import { answerConnectionError } from "./answer-connection-error.ts";
import { requestIdFrom } from "./headers.ts";

test("a request whose body is too slow has one line and one response, both 408 with its id", async (t) => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ name: "test", level: "info", destination });
  const newId = createIds();
  const app = Fastify({
    loggerInstance: log.child({}),
    logController: new LogController({ requestIdLogLabel: "requestId", disableRequestLogging: true }),
    genReqId: (raw) => requestIdFrom(raw.headers["x-request-id"], newId),
    requestTimeout: 50,
    http: { headersTimeout: 50, connectionsCheckingInterval: 10 },
    clientErrorHandler: (error, socket) => answerConnectionError(error, socket, { newId, log }),
  });
  for (const name of ["refusal", "client", "summary", "otherRoute", "errorCode", "caller"]) {
    app.decorateRequest(name, undefined);
  }
  app.addHook("onRequest", async (request, reply) => logAccess(request, reply.raw, undefined));
  app.post("/slow", async () => ({}));
  t.onTestFinished(() => app.close());
  const url = await app.listen({ port: 0, host: "127.0.0.1" });
  const head = "POST /slow HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine\r\nContent-Type: application/json";
  const text = await exchange(url, `${head}\r\nContent-Length: 9\r\n\r\n{`);
  assert.match(text, /^HTTP\/1\.1 408 [\s\S]*X-Request-Id: mine\r\n[\s\S]*"requestId":"mine"}$/);
  await until("the line is written", () => lines.some((line) => line.includes('"route"')));
  const parsed = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request");
  assert.deepEqual(
    parsed.map(({ requestId, route, status, code, outcome }) => [requestId, route, status, code, outcome]),
    [["mine", "/slow", 408, "REQUEST_TIMEOUT", undefined]],
  );
});
