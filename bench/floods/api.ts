import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { Agent, request } from "undici";

export interface Reply {
  status: number;
  /** The events' or the response's text. */
  text: string;
}

/** The calls of the floods. Responses may be large and slow. */
export class Api {
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly #agent = new Agent({ headersTimeout: 60_000, bodyTimeout: 60_000 });

  constructor(base: string, key: string) {
    this.base = base;
    this.headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  }

  async isUp(): Promise<boolean> {
    const reply = await this.get("/api/agents").catch(() => undefined);
    return reply?.status === 200;
  }

  get(path: string): Promise<Reply> {
    return this.#send("GET", path, null);
  }

  delete(path: string): Promise<Reply> {
    return this.#send("DELETE", path, null);
  }

  /** `body` is JSON. */
  post(path: string, body: string | Buffer): Promise<Reply> {
    return this.#send("POST", path, body);
  }

  /** A field of the response. Throws unless the call succeeds. */
  async create(path: string, body: unknown, field: string): Promise<string> {
    const { status, text } = await this.post(path, JSON.stringify(body));
    const answer: unknown = JSON.parse(text);
    const value: unknown = typeof answer === "object" && answer !== null && Reflect.get(answer, field);
    if (typeof value !== "string") throw new Error(`POST ${path}: ${status} ${text}`);
    return value;
  }

  /** Sends a request on a connection of its own, from which nothing is read. */
  async postUnread(path: string, body: string): Promise<Socket> {
    const { hostname, port, host } = new URL(this.base);
    const socket = connect(Number(port), hostname).pause();
    await once(socket, "connect");
    const headers = { host, ...this.headers, "content-length": Buffer.byteLength(body) };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
    return socket;
  }

  close(): Promise<void> {
    return this.#agent.close();
  }

  async #send(method: "GET" | "POST" | "DELETE", path: string, body: string | Buffer | null): Promise<Reply> {
    const response = await request(this.base + path, {
      dispatcher: this.#agent,
      method,
      headers: this.headers,
      body,
    });
    return { status: response.statusCode, text: await response.body.text() };
  }
}
