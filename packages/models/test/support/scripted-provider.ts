import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { isPlainObject } from "@muster/language";
import { type Format, formats } from "./formats.ts";
import type {
  AnswerEncoder,
  ScriptedAnswer,
  ScriptedFormat,
  ScriptedRequest,
  ScriptedStep,
  ScriptedUsage,
} from "./script.ts";

export type * from "./script.ts";
export { type ScriptedTarget, scriptedTargets } from "./targets.ts";

/** The rules of a provider that the conversation in a request's body breaks. `path`: the request's path. */
export function brokenRules(format: ScriptedFormat, body: unknown, path: string): string[] {
  return formats[format].problems(body, path);
}

export interface ScriptedProvider {
  /** For `LOCAL_BASE_URL`, `OPENAI_BASE_URL`, `ANTHROPIC_BASE_URL` and so on; ends in `/v1`. */
  baseUrl: string;
  /** The requests received so far, oldest first. */
  requests: ScriptedRequest[];
  /** How many chunks of starts and parts have been sent so far. */
  readonly chunksSent: number;
  /** Adds steps while the test runs. */
  add(...steps: ScriptedStep[]): void;
  /** Forgets the steps that are left, and continues with these. */
  replace(...steps: ScriptedStep[]): void;
  /** Answers the requests that find no step by their content, as a model does that is asked the same twice. */
  answerBy(choose: (request: ScriptedRequest) => ScriptedStep | undefined): void;
  /** Settled when this many requests have been received. */
  received(count: number): Promise<void>;
  /**
   * Throws if a step was left over, a request found no step or broke the provider's rules, or a check failed. Also runs
   * after the test.
   */
  assertDone(): void;
}

const defaultUsage: ScriptedUsage = { inputTokens: 10, outputTokens: 5 };

/**
 * Starts an HTTP server on loopback that plays a script in a provider's wire format, so that tests drive the real
 * adapters. It stops after the test, and fails it unless every step was used and every request was expected. It refuses
 * a conversation that the provider would refuse for the order of its messages or the pairing of its tool calls, and
 * fails the test that sent it.
 */
export async function startScriptedProvider(
  t: { onTestFinished(fn: () => void | Promise<void>): void },
  options: { format: ScriptedFormat; steps: ScriptedStep[] },
): Promise<ScriptedProvider> {
  const format = formats[options.format];
  const steps = [...options.steps];
  const requests: ScriptedRequest[] = [];
  const problems: unknown[] = [];
  const waiting = new Set<() => void>();
  const sent = { chunks: 0 };
  let calls = 0;
  let choose = (_request: ScriptedRequest): ScriptedStep | undefined => undefined;

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const received = await readRequest(request, response);
    requests.push(received);
    for (const wake of waiting) wake();
    const step = format.path.test(received.path) ? (steps.shift() ?? choose(received)) : undefined;
    if (step === undefined) {
      problems.push(new Error(`No step for ${request.method} ${request.url} (request ${requests.length})`));
      response.writeHead(500).end();
      return;
    }
    try {
      step.check?.(received);
    } catch (error) {
      problems.push(error);
    }
    const encoder = format.encoder(String(received.body.model), () => `call_${++calls}`);
    const illegal = format.problems(received.body, received.path);
    if (illegal.length > 0) {
      const message = `Request ${requests.length} breaks the provider's rules: ${illegal.join("; ")}`;
      problems.push(new Error(message));
      await playStep({ status: 400, error: { message } }, format, encoder, response, sent);
      return;
    }
    await playStep(step, format, encoder, response, sent);
  };

  // On a slow machine, a connection must not expire between two requests: its client would open another one.
  const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      // Many tests are about a client that leaves in the middle of a reply.
      if (!response.destroyed) problems.push(error);
      response.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const assertDone = (): void => {
    const left = steps.length > 0 ? [new Error(`${steps.length} steps were never used`)] : [];
    const all = [...problems, ...left];
    if (all.length === 1) throw all[0];
    if (all.length > 1) throw new AggregateError(all, `The script was not followed: ${all.join("; ")}`);
  };
  t.onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    assertDone();
  });

  return {
    baseUrl: `http://127.0.0.1:${portOf(server.address())}/v1`,
    requests,
    get chunksSent() {
      return sent.chunks;
    },
    add: (...more) => void steps.push(...more),
    replace: (...others) => void steps.splice(0, Infinity, ...others),
    answerBy: (other) => {
      choose = other;
    },
    received: (count) =>
      new Promise((resolve) => {
        const wake = (): void => {
          if (requests.length < count) return;
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
        wake();
      }),
    assertDone,
  };
}

async function readRequest(request: IncomingMessage, response: ServerResponse): Promise<ScriptedRequest> {
  const clientGone = new Promise<void>((resolve) => {
    response.once("close", () => {
      if (!response.writableFinished) resolve();
    });
  });
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  const text = Buffer.concat(pieces).toString();
  const body: unknown = text === "" ? {} : JSON.parse(text);
  if (!isPlainObject(body)) throw new Error(`The body of ${request.url} is not an object`);
  return { path: request.url ?? "", headers: request.headers, body, clientGone };
}

async function playStep(
  step: ScriptedStep,
  format: Format,
  encoder: AnswerEncoder,
  response: ServerResponse,
  sent: { chunks: number },
): Promise<void> {
  if ("silent" in step) return;
  if ("status" in step) {
    const error = { message: "Scripted failure", ...step.error };
    response.writeHead(step.status, { "content-type": "application/json", ...step.headers });
    response.end(step.body ?? JSON.stringify(format.errorBody(step.status, error)));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream", ...step.headers });
  response.flushHeaders();
  await playAnswer(step, encoder, response, sent);
}

async function playAnswer(
  step: ScriptedAnswer,
  encoder: AnswerEncoder,
  response: ServerResponse,
  sent: { chunks: number },
): Promise<void> {
  let left = step.chunks ?? Number.POSITIVE_INFINITY;
  const write = async (chunks: string[], isEnding = false): Promise<void> => {
    for (const chunk of chunks) {
      if (!isEnding && left-- <= 0) return;
      if (step.chunkDelayMs !== undefined) await sleep(step.chunkDelayMs);
      if (response.destroyed) return;
      if (!isEnding) sent.chunks += 1;
      response.write(chunk);
    }
  };
  await write(encoder.start());
  for (const part of step.parts) {
    if ("until" in part) await (typeof part.until === "function" ? part.until() : part.until);
    else await write("raw" in part ? [part.raw] : encoder.part(part));
  }
  if (step.ending === "hang") return;
  if (step.ending === "error") await write(encoder.part({ error: { message: "Overloaded" } }), true);
  if (step.ending === "stop-short" || step.ending === "error") response.end();
  else if (step.ending === "cut") setImmediate(() => response.destroy());
  else {
    const hasCalls = step.parts.some((part) => "toolCall" in part || "toolCalls" in part);
    const finish = step.finish ?? (hasCalls ? "tool-calls" : "stop");
    await write(encoder.end(finish, step.usage ?? defaultUsage), true);
    response.end();
  }
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return address.port;
}
