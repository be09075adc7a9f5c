import { request as requestByHttp } from "node:http";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";

export interface SentRequest {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal: AbortSignal;
}

/** A response whose body has not been read. */
export interface Reply {
  readonly status: number;
  readonly ok: boolean;
  readonly body: Readable;
  /** Names are in lower case. */
  header(name: string): string | undefined;
  text(): Promise<string>;
}

/**
 * Sends a request and follows no redirect: a redirected POST would become a GET, and the key could be sent to another host.
 * Rejects with the signal's reason, or with an error of Node that has a code. `fetch` would double the time that a short
 * command needs.
 */
export async function send(url: string, { method, headers, body, signal }: SentRequest): Promise<Reply> {
  const request = url.startsWith("https:") ? (await import("node:https")).request : requestByHttp;
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, signal }, (response) => {
      const { statusCode: status = 0 } = response;
      resolve({
        status,
        ok: status >= 200 && status < 300,
        body: response,
        header: (name) => [response.headers[name]].flat()[0],
        text: () => text(response),
      });
    });
    sent.on("error", (error) => reject(signal.aborted ? signal.reason : error));
    sent.end(body);
  });
}
