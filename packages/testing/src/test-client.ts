import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { eventsOf, record, type StreamedEvent } from "./events.ts";

/** Only for failures, so it is patient with a busy machine. */
const maxTries = 60;

/** Sends a request again as docs/errors.md asks clients to: after 503 and 504. */
export async function untilServed(send: () => Promise<Response>): Promise<Response> {
  for (let triesLeft = maxTries - 1; ; triesLeft -= 1) {
    const response = await send();
    if ((response.status !== 503 && response.status !== 504) || triesLeft === 0) return response;
    await response.body?.cancel();
    await delay(Number(response.headers.get("retry-after") ?? 1) * 1_000);
  }
}

/**
 * Calls a running Muster as a backend does: fetch, JSON, SSE. Sends a request again that the platform could not serve, unless
 * the test expects that or asks for the bare response.
 */
export class TestClient {
  readonly url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.url = url;
    this.#key = key;
  }

  /** The response, whatever it is. */
  request(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    return fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  }

  /** The JSON response, which must have the status. */
  async json(status: number, method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const send = () => this.request(method, path, body);
    const response = await (status < 500 ? untilServed(send) : send());
    const text = await response.text();
    assert.equal(response.status, status, `${method} ${path}: ${text}`);
    return record(JSON.parse(text));
  }

  /** A string field of the JSON response. */
  async field(name: string, status: number, method: string, path: string, body?: unknown): Promise<string> {
    const value = (await this.json(status, method, path, body))[name];
    assert.equal(typeof value, "string");
    return String(value);
  }

  /** All events of a trigger. Fails unless the stream ends with `[DONE]`. */
  async trigger(sessionId: string, body: unknown): Promise<StreamedEvent[]> {
    const path = `/api/agent-sessions/${sessionId}/trigger`;
    const response = await untilServed(() => this.request("POST", path, body));
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
    return eventsOf(text);
  }
}
