import type { Issues } from "@muster/rpc";
import type { ToolHost } from "./store/documents.ts";

const maxHosts = 100;
const maxHostLength = 255;
const secretBytes = { min: 24, generated: 32, max: 64 };

/** The host of a URL, as the parser of URLs writes it: so it equals the host of each URL on it. */
export function checkToolHost(issues: Issues, path: string, host: string): void {
  if (host.length <= maxHostLength && isHost(host)) return;
  const message =
    "must be a host in lower case, with its port unless it is that of https, such as api.example.com or 10.0.0.7:8080";
  issues.add(path, message);
}

const shape = /^(?:[a-z0-9._-]+|\[[0-9a-f:]+\])(?::\d+)?$/;

function isHost(text: string): boolean {
  return shape.test(text) && URL.parse(`https://${text}`)?.host === text;
}

/** Reports each entry that is not a host, or is repeated, with its path. */
export function readToolHosts(issues: Issues, hosts: readonly ToolHost[]): ToolHost[] {
  if (hosts.length > maxHosts) issues.add("toolHosts", `must have at most ${maxHosts} entries`);
  const names = hosts.map(({ host }) => host);
  for (const [index, host] of names.slice(0, maxHosts).entries()) {
    checkToolHost(issues, `toolHosts.${index}.host`, host);
    if (names.indexOf(host) !== index) issues.add(`toolHosts.${index}.host`, "must not be repeated");
  }
  return hosts.map(({ host, isUntrusted }) => ({ host, isUntrusted }));
}

const prefix = "whsec_";
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The form of Standard Webhooks, so that services can verify signatures with any of its libraries. */
export function checkToolSecret(issues: Issues, secret: string): void {
  const encoded = secret.slice(prefix.length);
  const { length } = Buffer.from(encoded, "base64");
  const isLong = length >= secretBytes.min && length <= secretBytes.max;
  if (secret.startsWith(prefix) && base64.test(encoded) && isLong) return;
  issues.add(
    "secret",
    `must be ${prefix} followed by ${secretBytes.min} to ${secretBytes.max} bytes in base64`,
  );
}

export function newToolSecret(random: (size: number) => Uint8Array): string {
  return prefix + Buffer.from(random(secretBytes.generated)).toString("base64");
}
