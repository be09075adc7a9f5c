import { isIP } from "node:net";
import { nameScheme } from "./resolving/name-resolver.ts";

/**
 * The grpc-js target for one or more addresses: `host:port` with IP addresses, one `name:port` or
 * `dns:///name:port` that resolves to every instance, or one target of another scheme (`unix:…`).
 */
export function targetOf(addresses: readonly string[]): string {
  const [first, ...others] = addresses;
  if (first === undefined) throw new Error("An RPC client needs at least one address");
  if (others.length === 0) return targetOfOne(first);
  const families = new Set(addresses.map(familyOf));
  if (families.size === 1 && families.has("ipv4")) return `ipv4:${addresses.join(",")}`;
  if (families.size === 1 && families.has("ipv6")) return `ipv6:${addresses.join(",")}`;
  throw new Error(
    `${addresses.join(", ")}: several addresses must all be IPv4 or all IPv6; for names, give one that resolves to every instance`,
  );
}

function targetOfOne(address: string): string {
  const name = /^dns:(?:\/\/\/)?(?<name>[^/]+)$/.exec(address)?.groups?.name;
  if (name === undefined && /^[a-z][a-z0-9]*:(?!\d+$)/.test(address)) return otherScheme(address);
  const plain = name ?? address;
  const family = familyOf(plain);
  return family === "name" ? `${nameScheme}:///${plain}` : `${family}:${plain}`;
}

function otherScheme(address: string): string {
  if (!address.startsWith("dns:")) return address;
  throw new Error(`${address} is not an address: expected dns:///name:port, without a DNS server`);
}

function familyOf(address: string): "ipv4" | "ipv6" | "name" {
  const match = /^(?:\[(?<six>.+)\]|(?<other>[^:/]+)):\d+$/.exec(address);
  if (match?.groups?.six !== undefined && isIP(match.groups.six) === 6) return "ipv6";
  if (match?.groups?.other === undefined) throw new Error(`${address} is not an address: expected host:port`);
  return isIP(match.groups.other) === 4 ? "ipv4" : "name";
}
