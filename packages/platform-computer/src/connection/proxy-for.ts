import { BlockList, isIP } from "node:net";
import { ConnectError } from "../connect-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy through which an address is reached, by HTTPS_PROXY or HTTP_PROXY, and NO_PROXY; a name in small letters
 * precedes. Undefined: directly, as this machine itself always is. Throws {@link ConnectError}.
 */
export function proxyFor(address: string, environment: Environment): URL | undefined {
  const url = new URL(address);
  const name = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const text = read(environment, name);
  if (text === "" || isLoopback(url) || isExcluded(url, read(environment, "NO_PROXY"))) return undefined;
  const proxy = text.includes("://") ? text : `http://${text}`;
  if (URL.canParse(proxy) && /^https?:$/.test(new URL(proxy).protocol)) return new URL(proxy);
  // The value may contain a password.
  throw new ConnectError(
    `${name} must be the address of an HTTP proxy, such as http://proxy.example.com:3128.`,
  );
}

/** Whether the address is one of this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|.*\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

function read(environment: Environment, name: string): string {
  return (environment[name.toLowerCase()] ?? environment[name] ?? "").trim();
}

function isExcluded({ protocol, hostname, port }: URL, list: string): boolean {
  const host = withoutBrackets(hostname).replace(/\.$/, "");
  const ownPort = port || (protocol === "https:" ? "443" : "80");
  const entries = list.toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => entry !== "" && isEntryFor(entry, host, ownPort));
}

/** An entry is `*`, a domain, an address or a range of addresses; any but a range may have a port. */
function isEntryFor(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  const [, name = entry, onlyPort = port] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
  if (onlyPort !== port) return false;
  const bare = withoutBrackets(name);
  if (isIP(host) !== 0) return isInRange(host, bare);
  const domain = bare.replace(/^\*?\./, "");
  return domain !== "" && `.${host}`.endsWith(`.${domain}`);
}

function isInRange(host: string, range: string): boolean {
  const [start = "", bits] = range.split("/");
  if (isIP(start) === 0 || isIP(start) !== isIP(host)) return false;
  const [family, maxBits] = isIP(start) === 4 ? (["ipv4", 32] as const) : (["ipv6", 128] as const);
  const prefix = Number(bits ?? maxBits);
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > maxBits) return false;
  const list = new BlockList();
  list.addSubnet(start, prefix, family);
  return list.check(host, family);
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}
