import { isIP, isIPv6 } from "node:net";
import proxyAddr from "@fastify/proxy-addr";
import type { FastifyRequest } from "fastify";
import { Address6 } from "ip-address";

/** Decides whether the forwarding headers from an address are trusted. */
export type Trust = (address: string) => boolean;

/** Whether the text is a network in CIDR notation or a single address. A network of all addresses is not accepted. */
export function isNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  if (isIP(address) === 0 || address.includes("%") || rest.length > 0) return false;
  if (prefix === undefined) return true;
  const bits = isIPv6(address) ? 128 : 32;
  return /^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bits;
}

/**
 * For Fastify's `trustProxy`: trusts addresses inside the networks. False without networks, so that every
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
 * The key that a client is counted under: an IPv4 address, also if written as IPv6, or the /64 network of an IPv6
 * address, in which a client can choose any address. `ip` is the address that the proxies report; if it is not an
 * address (`unknown`), the connection's own address counts.
 */
export function clientKey(ip: string | undefined, peer: string | undefined): string {
  const address = withoutPort(ip) ?? withoutPort(peer);
  // No address: the connection is closed or is not a network connection.
  if (address === undefined || !isIPv6(address)) return address ?? "";
  const ipv6 = new Address6(address);
  if (ipv6.isMapped4()) return ipv6.to4().correctForm();
  return new Address6(`${address}/64`).startAddress().correctForm();
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. Undefined if the text is not an address. */
function withoutPort(text = ""): string | undefined {
  const { v4, v6 } = /^(?:(?<v4>[\d.]+):\d+|\[(?<v6>[^\]]+)\](?::\d+)?)$/.exec(text)?.groups ?? {};
  const [address = ""] = (v4 ?? v6 ?? text).split("%", 1);
  return isIP(address) === 0 ? undefined : address;
}

/** The name of a request's client. */
export function addressOf({ ip, socket }: Pick<FastifyRequest, "ip" | "socket">): string {
  return clientKey(ip, socket.remoteAddress);
}

/** The exact address of a request's client, for the audit log. Absent: the connection is closed or is not a network connection. */
export function ipOf({ ip, socket }: Pick<FastifyRequest, "ip" | "socket">): { ip?: string } {
  const address = withoutPort(ip) ?? withoutPort(socket.remoteAddress);
  return address === undefined ? {} : { ip: address.replace(/^::ffff:(?=[\d.]+$)/i, "") };
}
