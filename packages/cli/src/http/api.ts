import { CliError } from "../exit.ts";
import { record } from "../read.ts";
import { problemOf, unexpectedResponse, unreachable } from "./problem.ts";
import { type NumberedEvent, readEvents } from "./read-events.ts";
import { type Reply, send } from "./send.ts";

const requestTimeoutMs = 30_000;

export interface ApiRequest {
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiReply {
  readonly body: unknown;
  readonly header: Reply["header"];
  readonly status: number;
}

/** The credentials of a request. */
export interface Caller {
  readonly key: string;
  /** The project to act in. Default: the project of the key. */
  readonly project?: string | undefined;
  /** The source of the key, for errors. Default: MUSTER_API_KEY. */
  readonly source?: string | undefined;
}

/** A Muster server. Every failure is a CliError. */
export class Api {
  readonly url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #source: string | undefined;

  /** Without a caller, only public routes work. */
  constructor(url: string, caller?: Caller) {
    this.url = url;
    this.#source = caller?.source;
    this.#headers = {
      ...(caller === undefined ? {} : { authorization: `Bearer ${caller.key}` }),
      ...(caller?.project === undefined ? {} : { "x-project-id": caller.project }),
    };
  }

  /** Returns the JSON body of a successful response; undefined for 204. */
  async request(method: string, path: string, request: ApiRequest = {}): Promise<ApiReply> {
    const signal = AbortSignal.timeout(requestTimeoutMs);
    const response = await this.#send(method, path, request, signal);
    const text = await response
      .text()
      .catch((error: unknown) => Promise.reject(unreachable(this.url, error)));
    const { header, status } = response;
    return { body: status === 204 ? undefined : parseBody(text, this.url), header, status };
  }

  /** Returns the JSON object of a successful response. */
  async read(method: string, path: string, request?: ApiRequest): Promise<Record<string, unknown>> {
    return record((await this.request(method, path, request)).body);
  }

  /** Yields the events of a streamed response until it ends properly. Aborting closes the stream. */
  async *stream(
    method: string,
    path: string,
    body: unknown,
    signal: AbortSignal,
    query: ApiRequest["query"] = {},
  ): AsyncGenerator<Record<string, unknown>> {
    for await (const { event } of this.numberedStream(method, path, body, signal, query)) yield event;
  }

  /** The same with the number of each event, if the server numbers them. */
  async *numberedStream(
    method: string,
    path: string,
    body: unknown,
    signal: AbortSignal,
    query: ApiRequest["query"] = {},
  ): AsyncGenerator<NumberedEvent> {
    const request = { body, query, headers: { accept: "text/event-stream" } };
    const response = await this.#send(method, path, request, signal);
    yield* readEvents(response, this.url, signal);
  }

  /** Yields the objects of a response that has one on each line. Throws if the response ends early. */
  async *lines(path: string): AsyncGenerator<Record<string, unknown>> {
    const request = { headers: { accept: "application/x-ndjson" } };
    const reading = new AbortController();
    const response = await this.#send("GET", path, request, reading.signal);
    let rest = "";
    try {
      for await (const chunk of response.body.setEncoding("utf8")) {
        const lines = (rest + String(chunk)).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) if (line !== "") yield record(parseBody(line, this.url));
      }
    } catch (error) {
      throw error instanceof CliError ? error : unreachable(this.url, error);
    } finally {
      reading.abort();
    }
  }

  async #send(method: string, path: string, request: ApiRequest, signal: AbortSignal): Promise<Reply> {
    const { body, headers = {} } = request;
    const response = await send(this.#address(path, request.query), {
      method,
      signal,
      headers: {
        ...this.#headers,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: unknown) => Promise.reject(unreachable(this.url, error)));
    if (response.ok) return response;
    throw await problemOf(response, this.url, this.#source);
  }

  #address(path: string, query: ApiRequest["query"] = {}): string {
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) given.append(name, value);
    return given.size === 0 ? this.url + path : `${this.url}${path}?${given}`;
  }
}

function parseBody(text: string, url: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unexpectedResponse(url, "it is not JSON");
  }
}

export function isStatus(error: unknown, status: number): error is CliError {
  return error instanceof CliError && error.status === status;
}
