import { isIP, isIPv6 } from "node:net";
import proxyAddr from "@fastify/proxy-addr";
import { normalizeIP } from "@fastify/rate-limit";

/** Decides whether what stands at an address may say for whom it forwards. */
export type Trust = (address: string) => boolean;

/** Whether the text is a network in CIDR notation, or one address. A network of all addresses is none to trust. */
export function isNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  if (isIP(address) === 0 || address.includes("%") || rest.length > 0) return false;
  if (prefix === undefined) return true;
  const bits = isIPv6(address) ? 128 : 32;
  return /^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits;
}

/**
 * For Fastify's `trustProxy`: trusts addresses inside the networks. False for no networks, so that every
 * X-Forwarded header is ignored; with them, they count only when the connection itself comes from a trusted address.
 */
export function trustIn(networks: readonly string[]): Trust | false {
  if (networks.length === 0) return false;
  const isInside = proxyAddr.compile([...networks]);
  return (address) => {
    const plain = withoutPort(address);
    return plain !== undefined && isInside(plain, 0);
  };
}

/**
 * What a client is counted by: an IPv4 address, also when it is written as IPv6, or the /64 network of an IPv6 address,
 * inside of which a client can pick any. `ip` is what the proxies say; when that is no address (`unknown`), the
 * connection's own address counts.
 */
export function clientKey(ip: string | undefined, peer: string | undefined): string {
  const address = withoutPort(ip) ?? withoutPort(peer);
  // No address at all: the connection is gone, or is no network connection.
  return address === undefined ? "" : normalizeIP(address, 64);
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. Undefined for what is no address. */
function withoutPort(text = ""): string | undefined {
  const { v4, v6 } = /^(?:(?<v4>[\d.]+):\d+|\[(?<v6>[^\]]+)\](?::\d+)?)$/.exec(text)?.groups ?? {};
  const [address = ""] = (v4 ?? v6 ?? text).split("%", 1);
  return isIP(address) === 0 ? undefined : address;
}
