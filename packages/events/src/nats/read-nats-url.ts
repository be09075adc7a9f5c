import type { ConnectionOptions } from "nats";

/**
 * Reads `NATS_URL`: one or several addresses separated by commas, `nats://` or `tls://`, with `user:password@` or
 * `token@` in the first. The client takes credentials only as options, not in addresses.
 */
export function readNatsUrl(text: string): Pick<
  ConnectionOptions,
  "servers" | "user" | "pass" | "token" | "tls"
> & {
  servers: string[];
} {
  const urls = text.split(",").map((part) => parse(part.trim()));
  const [first] = urls;
  return {
    servers: urls.map((url) => `${url.hostname}:${url.port || "4222"}`),
    ...(first ? credentials(first) : {}),
    ...(urls.some((url) => url.protocol === "tls:") ? { tls: {} } : {}),
  };
}

function parse(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.hostname && (url.protocol === "nats:" || url.protocol === "tls:")) return url;
  // The text may contain a password, so it is not repeated.
  throw new TypeError("A NATS address must look like nats://host:4222 or tls://host:4222");
}

function credentials({ username, password }: URL): Pick<ConnectionOptions, "user" | "pass" | "token"> {
  if (username === "") return {};
  const name = decodeURIComponent(username);
  return password === "" ? { token: name } : { user: name, pass: decodeURIComponent(password) };
}
