import * as http from "node:http";
import * as https from "node:https";
import type { Socket } from "node:net";
import * as querystring from "node:querystring";
import { ConnectError } from "../connect-error.ts";

export interface TunnelOptions {
  proxy: URL;
  /** The server at the other end. */
  target: URL;
  timeoutMs: number;
  /** Whether the proxy has already let this process through. */
  wasConnected: boolean;
  signal: AbortSignal;
}

/**
 * A connection to the server through the proxy, which sees only its host and port if it is encrypted. Rejects with
 * {@link ConnectError} if the proxy refuses it for good, and with another error if it may succeed later.
 */
export function openTunnel({
  proxy,
  target,
  timeoutMs,
  wasConnected,
  signal,
}: TunnelOptions): Promise<Socket> {
  const authority = `${target.hostname}:${target.port || (target.protocol === "https:" ? 443 : 80)}`;
  const { request } = proxy.protocol === "https:" ? https : http;
  return new Promise((resolve, reject) => {
    const asking = request({
      host: proxy.hostname.replace(/^\[|\]$/g, ""),
      port: proxy.port || (proxy.protocol === "https:" ? 443 : 80),
      method: "CONNECT",
      path: authority,
      headers: { host: authority, ...authorization(proxy) },
      agent: false,
      signal,
    });
    const late = setTimeout(() => asking.destroy(new Error("it does not answer")), timeoutMs);
    asking.once("error", ({ message }) => {
      clearTimeout(late);
      reject(new Error(`the proxy ${proxy.host} cannot be used: ${message}`));
    });
    asking.once("connect", ({ statusCode = 0 }, socket, head) => {
      clearTimeout(late);
      if (statusCode >= 200 && statusCode < 300) {
        // The server may speak first.
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(refusal(proxy, authority, statusCode, wasConnected));
    });
    asking.end();
  });
}

function refusal({ host, username }: URL, authority: string, status: number, wasConnected: boolean): Error {
  if (status === 407)
    return new ConnectError(
      username === ""
        ? `The proxy ${host} asks for a user: put it into the variable that names the proxy, as http://user:password@${host}.`
        : `The proxy ${host} does not accept its user and password: correct the variable that names the proxy.`,
    );
  const message = `the proxy ${host} refuses a connection to ${authority} with the status ${status}`;
  if (wasConnected || status >= 500 || status === 429) return new Error(message);
  return new ConnectError(
    `${message.replace("the", "The")}. Have it allow this address, or name it in NO_PROXY.`,
  );
}

function authorization({ username, password }: URL): Record<string, string> {
  if (username === "") return {};
  const plain = [username, password].map((part) => querystring.unescape(part)).join(":");
  return { "proxy-authorization": `Basic ${Buffer.from(plain).toString("base64")}` };
}
