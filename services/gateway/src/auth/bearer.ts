import type { IncomingMessage } from "node:http";

const bearer = /^bearer +([\x21-\x7e]{1,8192}) *$/i;

/**
 * The bearer credential of a request. `undefined` if it is missing, malformed, or if several
 * Authorization headers were sent: Node would silently take the first, a proxy in front perhaps the last.
 */
export function bearerOf(request: IncomingMessage): string | undefined {
  const header = request.headers.authorization;
  if (header === undefined || timesSent(request.rawHeaders, "authorization") > 1) return undefined;
  return bearer.exec(header)?.[1];
}

function timesSent(rawHeaders: readonly string[], name: string): number {
  let times = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const header = rawHeaders[i];
    if (header?.length === name.length && header.toLowerCase() === name) times++;
  }
  return times;
}
