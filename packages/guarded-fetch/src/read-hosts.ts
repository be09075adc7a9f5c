import { ConfigError, type Environment, readEnvironment } from "@muster/service";
import { parseHost } from "./guard.ts";

/** A setting that lists `GuardOptions.privateHosts`, separated by commas. Throws ConfigError. */
export function readHosts(env: Environment, variable: string): string[] {
  const listed = readEnvironment(env).string(variable)?.split(",") ?? [];
  return listed.map((text) => {
    try {
      return parseHost(text.trim());
    } catch {
      throw new ConfigError(
        variable,
        `must be hosts such as mcp.corp.internal, 10.0.0.7 or .corp.internal, separated by commas, not ${JSON.stringify(text)}`,
      );
    }
  });
}
