import type { Tool } from "@modelcontextprotocol/server";
import type { FastifyRequest, RouteOptions } from "fastify";
import { loginHeaders } from "../../auth/login-cookie.ts";
import { HttpProblem } from "../../edge/errors/http-problem.ts";
import type { App } from "../../edge/http/app.ts";

/** The arguments of a tool, by name. */
export type Arguments = Readonly<Record<string, unknown>>;

export interface Answer {
  status: number;
  body: string;
  etag: string;
}

type Properties = NonNullable<Tool["inputSchema"]["properties"]>;

/** The parts of a schema that are read. */
interface ObjectSchema {
  properties?: Properties;
  required?: string[];
}

/** The arguments of a route: the members of its path, its query and its body, and its idempotency key. */
export function inputSchemaOf({ schema = {} }: RouteOptions) {
  const all = [schema.params, schema.querystring, schema.body].map(shapeOf);
  const properties: Properties = Object.assign({}, ...all.map((part) => part.properties));
  const { "idempotency-key": idempotencyKey } = shapeOf(schema.headers).properties;
  if (idempotencyKey !== undefined) properties.idempotencyKey = idempotencyKey;
  return { type: "object" as const, properties, required: all.flatMap(({ required }) => required) };
}

function shapeOf(schema: unknown): Required<ObjectSchema> {
  const { properties = {}, required = [] }: ObjectSchema = JSON.parse(JSON.stringify(schema ?? {}));
  return { properties, required };
}

/** An argument of a path, a query or a header. Undefined: it is absent. */
export function scalarOf(args: Arguments, name: string): string | undefined {
  const value = args[name];
  if (value === undefined || value === null) return undefined;
  if (!["string", "number", "boolean"].includes(typeof value))
    throw new HttpProblem("INVALID_REQUEST", `The argument ${name} must be a string, a number or a boolean.`);
  return String(value);
}

/** An id that URLs resolve, such as `..`, would name another route. */
function segmentOf(name: string, value = ""): string {
  if (value !== "" && value !== "." && value !== "..") return encodeURIComponent(value);
  throw new HttpProblem("INVALID_REQUEST", `The argument ${name} must be an id.`);
}

/** Passed on, so that a route sees the same caller at the same address. */
const passedOn = [
  "authorization",
  ...loginHeaders,
  "x-project-id",
  "host",
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-forwarded-host",
] as const;

/**
 * A request of a route by a tool, without a connection of its own. It passes through all checks and limits, is logged and
 * counted like any other, and has the id of the tool call's request.
 */
export class RouteRequest {
  readonly #app: App;
  readonly #request: FastifyRequest;
  readonly #options: RouteOptions;
  readonly #signal: AbortSignal;

  /** `signal`: the client no longer wants the response. */
  constructor(app: App, request: FastifyRequest, options: RouteOptions, signal: AbortSignal) {
    this.#app = app;
    this.#request = request;
    this.#options = options;
    this.#signal = signal;
  }

  /** Arguments that the route does not know are members of its body, if it has one. */
  async send(args: Arguments, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const { method, url, schema = {} } = this.#options;
    const inQuery = Object.keys(shapeOf(schema.querystring).properties);
    const rest: Record<string, unknown> = { ...args };
    const take = (name: string) => {
      const value = scalarOf(rest, name);
      delete rest[name];
      return value;
    };
    const path = url.replace(/:(\w+)/g, (_, name: string) => segmentOf(name, take(name)));
    const query = new URLSearchParams();
    for (const name of inQuery) {
      const value = take(name);
      if (value !== undefined) query.set(name, value);
    }
    const key = take("idempotencyKey");
    const sent = { ...headers, ...(key !== undefined && { "idempotency-key": key }) };
    const payload = schema.body === undefined ? undefined : rest;
    return this.sendTo(String(method), query.size === 0 ? path : `${path}?${query}`, payload, sent);
  }

  async sendTo(
    method: string,
    url: string,
    payload: object | undefined,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const { headers: given, raw, id } = this.#request;
    const headers: Record<string, string> = { "x-request-id": id, accept: "application/json", ...more };
    for (const name of passedOn) {
      const value = given[name];
      if (value !== undefined) headers[name] = String(value);
    }
    const {
      statusCode,
      body,
      headers: received,
    } = await this.#app.inject({
      ...{ method: methodOf(method), url, headers, signal: this.#signal },
      ...(raw.socket.remoteAddress !== undefined && { remoteAddress: raw.socket.remoteAddress }),
      ...(payload !== undefined && { payload }),
    });
    return { status: statusCode, body, etag: String(received.etag ?? "") };
  }
}

function methodOf(name: string): "GET" | "POST" | "PATCH" | "DELETE" {
  return name === "GET" || name === "POST" || name === "PATCH" ? name : "DELETE";
}
