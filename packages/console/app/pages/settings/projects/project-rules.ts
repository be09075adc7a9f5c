import type { Project } from "@muster/client";

const linesOf = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

/** `refund: ask`, one rule per line. */
export function ruleLines(rules: Project["approvals"]): string {
  return Object.entries(rules)
    .map(([tool, demand]) => `${tool}: ${demand}`)
    .join("\n");
}

/** The rules of such lines. The server refuses unknown demands. */
export function rulesIn(text: string): Record<string, string> {
  return Object.fromEntries(
    linesOf(text).map((line) => {
      const end = line.lastIndexOf(":");
      return end === -1 ? [line, ""] : [line.slice(0, end).trim(), line.slice(end + 1).trim()];
    }),
  );
}

/** `api.example.com untrusted`, one host per line. */
export function hostLines(hosts: Project["toolHosts"]): string {
  return hosts.map(({ host, untrusted }) => (untrusted ? `${host} untrusted` : host)).join("\n");
}

export function hostsIn(text: string): Array<{ host: string; untrusted: boolean }> {
  return linesOf(text).map((line) => {
    const host = line.replace(/\s+untrusted$/, "");
    return { host, untrusted: host !== line };
  });
}
