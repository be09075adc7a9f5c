import { readFileSync } from "node:fs";
import { join } from "node:path";
import { folder } from "./compose-file.ts";

export const proxyConfig = readFileSync(join(folder, "proxy/nginx.conf"), "utf8");

export interface LocalProxyOptions {
  /** The port of loopback on which it listens. */
  port: number;
  /** `host:port` of each gateway. */
  gateways: readonly string[];
  /** For its temporary files. */
  directory: string;
}

/**
 * The shipped configuration for this machine: without Docker's name server, with the gateways' addresses instead of
 * their name, and on loopback. Everything else stays unchanged.
 */
export function localProxyConfig({ port, gateways, directory }: LocalProxyOptions): string {
  const replacements: Array<[RegExp, (line: string) => string]> = [
    [/^ *resolver .*;$/m, () => ""],
    [
      /^ *server gateway:8080 resolve .*;$/m,
      (line) => gateways.map((gateway) => line.replace("gateway:8080 resolve", gateway)).join("\n"),
    ],
    [/listen 8080;/, () => `listen 127.0.0.1:${port};`],
    [/\/dev\/stderr/, () => "stderr"],
    [/\/tmp\//g, () => `${directory}/`],
  ];
  return replacements.reduce((text, [pattern, replace]) => {
    if (text.search(pattern) === -1) throw new Error(`proxy/nginx.conf has no ${pattern}`);
    return text.replace(pattern, replace);
  }, proxyConfig);
}
