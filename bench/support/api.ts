import { Agent, request } from "undici";

export interface Reply {
  status: number;
  etag?: string | undefined;
  text: string;
}

export interface Call {
  /** JSON: text, or a value that becomes text. */
  body?: unknown;
  /** Instead of the admin key. */
  key?: string;
  headers?: Readonly<Record<string, string>>;
}

/** The calls of a server's clients. Responses may be large and slow. */
export class Api {
  readonly url: string;
  /** The headers of a request with the admin key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly #agent: Agent;

  /** `connections`: how many requests can be open at once. */
  constructor(url: string, key: string, connections?: number) {
    this.url = url;
    this.headers = { authorization: `Bearer ${key}` };
    const timeouts = { headersTimeout: 120_000, bodyTimeout: 120_000 };
    this.#agent = new Agent({
      ...{ ...timeouts, keepAliveTimeout: 1_000, keepAliveMaxTimeout: 1_000 },
      ...(connections !== undefined && { connections }),
    });
  }

  async send(method: "GET" | "POST" | "DELETE", path: string, call: Call = {}): Promise<Reply> {
    const { body, key, headers } = call;
    const isText = typeof body === "string" || body instanceof Buffer;
    const response = await request(this.url + path, {
      dispatcher: this.#agent,
      method,
      headers: {
        ...(key === undefined ? this.headers : { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      body: body === undefined ? null : isText ? body : JSON.stringify(body),
    });
    const { etag } = response.headers;
    const text = await response.body.text();
    return { status: response.statusCode, etag: typeof etag === "string" ? etag : undefined, text };
  }

  /** The JSON of a successful response. Throws on others. */
  async json(...call: Parameters<Api["send"]>): Promise<Record<string, unknown>> {
    const { status, text } = await this.send(...call);
    if (status < 200 || status > 299) throw new Error(`${call[0]} ${call[1]}: ${status} ${text}`);
    const parsed: unknown = JSON.parse(text);
    return { ...Object(parsed) };
  }

  /** A field of the JSON response to a POST, as text. */
  async create(path: string, body: unknown, field: string, key?: string): Promise<string> {
    const { [field]: value } = await this.json("POST", path, { body, ...(key !== undefined && { key }) });
    if (typeof value !== "string") throw new Error(`The response of POST ${path} has no ${field}`);
    return value;
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }
}
