import assert from "node:assert/strict";

/** A caller of a running Muster, as a backend would be: fetch, JSON, SSE. */
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

  /** The JSON answer, which must have the status. */
  async json(status: number, method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const response = await this.request(method, path, body);
    const text = await response.text();
    assert.equal(response.status, status, `${method} ${path}: ${text}`);
    return record(JSON.parse(text));
  }

  /** The string field of a JSON answer. */
  async field(name: string, status: number, method: string, path: string, body?: unknown): Promise<string> {
    const value = (await this.json(status, method, path, body))[name];
    assert.equal(typeof value, "string");
    return String(value);
  }

  /** All events of a trigger; the stream must end with [DONE]. */
  async trigger(sessionId: string, body: unknown): Promise<Array<Record<string, unknown>>> {
    const response = await this.request("POST", `/api/agent-sessions/${sessionId}/trigger`, body);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    assert.equal(response.headers.get("content-type"), "text/event-stream; charset=utf-8");
    return eventsOf(text);
  }
}

export function eventsOf(text: string): Array<Record<string, unknown>> {
  const frames = text.split("\n\n").filter((frame) => frame.startsWith("data: "));
  assert.equal(frames.at(-1), "data: [DONE]");
  return frames.slice(0, -1).map((frame) => record(JSON.parse(frame.slice("data: ".length))));
}

/** What the reader of a stream sees as the reply. */
export function textOf(events: Array<Record<string, unknown>>): string {
  return events.map((event) => (event.type === "text-delta" ? String(event.delta) : "")).join("");
}

export function record(value: unknown): Record<string, unknown> {
  assert.ok(typeof value === "object" && value !== null && !Array.isArray(value));
  return Object.fromEntries(Object.entries(value));
}
