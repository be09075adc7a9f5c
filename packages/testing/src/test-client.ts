import assert from "node:assert/strict";
import { eventsOf, record, type StreamedEvent } from "./events.ts";

/** Calls a running Muster as a backend does: fetch, JSON, SSE. */
export class TestClient {
  readonly url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.url = url;
    this.#key = key;
  }

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
    const response = await this.request(method, path, body);
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
    const response = await this.request("POST", `/api/agent-sessions/${sessionId}/trigger`, body);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
    return eventsOf(text);
  }
}
