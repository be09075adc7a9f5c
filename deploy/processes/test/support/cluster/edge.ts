import { setTimeout as delay } from "node:timers/promises";

const pollEveryMs = 250;

/**
 * A load balancer as clients see it: requests go to the gateways that are ready themselves, and are sent again if one
 * refuses.
 */
export class Edge {
  /** The requests that were sent again: why, and with which outcome. */
  readonly retried: string[] = [];
  readonly #gatewaysNow: () => string[];
  readonly #ready = new Set<string>();
  readonly #key: string;
  #turn = 0;
  #isClosed = false;
  readonly #polling: Promise<void>;

  constructor(gatewaysNow: () => string[], key: string) {
    this.#gatewaysNow = gatewaysNow;
    this.#key = key;
    this.#polling = this.#poll();
  }

  /** Sends the request again after 503 or a refused connection, and after nothing else. */
  async request(method: string, path: string, body?: unknown): Promise<Response> {
    let why = "refused";
    try {
      const response = await this.#send(method, path, body);
      if (response.status !== 503) return response;
      why = `503 ${await response.text()}`;
    } catch (error) {
      if (!isRefused(error)) throw error;
    }
    await delay(100);
    const note = (outcome: unknown) =>
      void this.retried.push(`${new Date().toISOString()} ${method} ${path}: ${why}, then ${outcome}`);
    try {
      const response = await this.#send(method, path, body);
      note(response.status);
      return response;
    } catch (error) {
      note(error);
      throw error;
    }
  }

  /** The JSON of a response that must be successful. */
  async json(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const response = await this.request(method, path, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === "object" && parsed !== null ? Object.fromEntries(Object.entries(parsed)) : {};
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#polling;
  }

  #send(method: string, path: string, body: unknown): Promise<Response> {
    const all = this.#gatewaysNow();
    const ready = all.filter((gateway) => this.#ready.has(gateway));
    const candidates = ready.length > 0 ? ready : all;
    const gateway = candidates[this.#turn++ % candidates.length] ?? "";
    const headers: Record<string, string> = { authorization: `Bearer ${this.#key}` };
    if (body === undefined) return fetch(gateway + path, { method, headers });
    headers["content-type"] = "application/json";
    return fetch(gateway + path, { method, headers, body: JSON.stringify(body) });
  }

  async #poll(): Promise<void> {
    while (!this.#isClosed) {
      await Promise.all(
        this.#gatewaysNow().map(async (gateway) => {
          const isReady = await isReadyItself(gateway);
          if (isReady) this.#ready.add(gateway);
          else this.#ready.delete(gateway);
        }),
      );
      await delay(pollEveryMs);
    }
  }
}

/** Versions that do not know the scope report whether they and all that they need are ready. */
async function isReadyItself(gateway: string): Promise<boolean> {
  const status = async (path: string) => {
    const response = await fetch(gateway + path, { signal: AbortSignal.timeout(5_000) });
    await response.body?.cancel();
    return response.status;
  };
  try {
    const own = await status("/readyz?scope=self");
    return (own === 400 ? await status("/readyz") : own) === 200;
  } catch {
    return false;
  }
}

function isRefused(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "ECONNREFUSED";
}
