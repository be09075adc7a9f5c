import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import { WebSocket } from "ws";
import { ConnectError } from "../connect-error.ts";
import { plainLine } from "../terminal/plain-text.ts";
import { maxFrameBytes, subprotocol } from "./frames.ts";
import { openTunnel } from "./open-tunnel.ts";

export interface SocketOptions {
  /** The address of the installation, without a slash at its end. */
  url: string;
  token: string;
  /** Undefined: the server is reached directly. */
  proxy: URL | undefined;
  /** Whether this process was connected before: the address is right then. */
  wasConnected: boolean;
  signal: AbortSignal;
}

const handshakeMs = 20_000;
const maxBodyBytes = 16 * 1024;

/**
 * Opens the WebSocket. Rejects with {@link ConnectError} if the server refuses it for good, and with another error if it may
 * succeed later.
 */
export async function openSocket(options: SocketOptions): Promise<WebSocket> {
  const { url, token, wasConnected, signal } = options;
  const createConnection = await connectionThrough(options);
  return await new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace(/^http/, "ws")}/api/v1/computers/connect`, [subprotocol], {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
      maxPayload: maxFrameBytes,
      handshakeTimeout: handshakeMs,
      followRedirects: false,
      ...(createConnection && { createConnection }),
    });
    const abort = () => socket.terminate();
    signal.addEventListener("abort", abort, { once: true });
    const settled = () => signal.removeEventListener("abort", abort);
    socket.once("open", () => {
      settled();
      resolve(socket);
    });
    // Stays: an error after a refusal must not end the process.
    socket.on("error", (error) => {
      settled();
      // The server took the upgrade, but not as a Muster server does.
      const isOther = /subprotocol|Sec-WebSocket/i.test(error.message) && !wasConnected;
      reject(isOther ? new ConnectError(noMuster(url)) : error);
    });
    socket.once("unexpected-response", (_, response) => {
      void refusalOf(url, response, wasConnected).then((error) => {
        settled();
        reject(error);
        socket.terminate();
      });
    });
  });
}

/** Undefined without a proxy: the WebSocket connects itself. */
async function connectionThrough({ url, proxy, wasConnected, signal }: SocketOptions) {
  if (proxy === undefined) return undefined;
  const target = new URL(url);
  const socket = await openTunnel({ proxy, target, timeoutMs: handshakeMs, wasConnected, signal });
  if (target.protocol === "http:") return () => socket;
  const host = target.hostname.replace(/^\[|\]$/g, "");
  return () => connectTls({ socket, host, servername: isIP(host) === 0 ? host : "" });
}

async function refusalOf(url: string, response: IncomingMessage, wasConnected: boolean): Promise<Error> {
  const { statusCode: status = 0, headers } = response;
  const said = await messageIn(response);
  if (status === 401) {
    const state = wasConnected ? "The token no longer works" : "The server does not accept the token";
    return new ConnectError(`${state}. Create another one, and start this command with it.`);
  }
  if (said !== undefined && status >= 400 && status < 500 && status !== 429 && status !== 404)
    return new ConnectError(`The server refuses the connection: ${said}`);
  if (wasConnected || status === 429 || status >= 500)
    return new Error(said ?? `the server responds with the status ${status}`);
  if (status >= 300 && status < 400 && headers.location !== undefined)
    return new ConnectError(
      `${url} redirects to ${plainLine(headers.location)}. Use the address of the server itself.`,
    );
  return new ConnectError(noMuster(url));
}

function noMuster(url: string): string {
  return `${url} is not a Muster server that computers can connect to. Check the address, and the version of the server.`;
}

/** The sentence of an error of Muster; undefined for the body of another server. */
async function messageIn(response: IncomingMessage): Promise<string | undefined> {
  let body = "";
  try {
    for await (const chunk of response.setEncoding("utf8")) {
      body += chunk;
      if (body.length > maxBodyBytes) return undefined;
    }
    const value: unknown = JSON.parse(body);
    if (typeof value !== "object" || value === null || !("error" in value) || !("code" in value))
      return undefined;
    return typeof value.error === "string" ? plainLine(value.error, 500) : undefined;
  } catch {
    return undefined;
  }
}
