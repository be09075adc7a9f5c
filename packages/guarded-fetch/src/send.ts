import { Client, type Dispatcher } from "undici";
import { readAheadBytes } from "./body.ts";
import { createConnector } from "./connector.ts";
import type { Deadline } from "./deadline.ts";
import type { Guard, GuardOptions } from "./guard.ts";
import type { PlannedRequest } from "./request.ts";

/** A response, and how to end its connection. */
export interface Hop {
  response: Dispatcher.ResponseData;
  close(): void;
}

interface Limits {
  guard: Guard;
  guardOptions: GuardOptions;
  limits: { maxHeaderBytes: number; stallMs: number; onConnect: () => void };
  deadline: Deadline;
}

export type Send = typeof send;

/** Each request has a connection of its own: nothing that was checked for one user or moment serves another. */
export async function send(
  { guard, guardOptions, limits, deadline }: Limits,
  { url, method, headers, body }: PlannedRequest,
): Promise<Hop> {
  const { signal } = deadline;
  const connect = createConnector(guard, guardOptions, url.origin, signal);
  const client = new Client(url.origin, {
    connect: (options, callback) =>
      connect(options, (...[error, socket]) => {
        if (error) return callback(error, null);
        limits.onConnect();
        callback(null, socket);
      }),
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.stallMs,
    bodyTimeout: limits.stallMs,
  });
  // The request has its outcome by then; a connection that cannot be closed well is gone, too.
  const close = () => void client.destroy().catch(() => undefined);
  try {
    const path = url.pathname + url.search;
    const response = await client.request({
      path,
      method,
      headers,
      body,
      signal,
      highWaterMark: readAheadBytes,
    });
    return { response, close };
  } catch (error) {
    close();
    throw error;
  }
}
