import { ConfigError } from "./env.ts";
import { ConfigErrors } from "./read-settings.ts";
import { sourceStack } from "./source-stack.ts";

/**
 * The reason for a failed start as one sentence on one line, for standard error; one line for each of several settings. With
 * `LOG_LEVEL=debug`, its stack follows.
 */
export function startProblem(program: string, error: unknown): string {
  if (error instanceof ConfigErrors)
    return error.problems.map((problem) => startProblem(program, problem)).join("");
  const reason = error instanceof Error ? error.message : String(error);
  const sentence = reason
    .trim()
    .replace(/\s*\n\s*/g, " ")
    .replace(/\.?$/, ".");
  const stack =
    process.env.LOG_LEVEL === "debug" && error instanceof Error
      ? `${sourceStack(String(error.stack))}\n`
      : "";
  return `${program} cannot start: ${sentence}\n${stack}`;
}

interface Listening {
  host: string;
  port: number;
  /** The names of the settings that chose them. */
  settings: { host: string; port: string };
}

/** The ConfigError for a failure to listen; other errors unchanged. */
export function listenProblem(error: unknown, { host, port, settings }: Listening): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  switch (error.code) {
    case "EADDRINUSE": {
      const other = `${settings.port}=${port < 65_535 ? port + 1 : 0}`;
      const remedy = `stop the program that uses it, or choose another port, such as ${other}`;
      return new ConfigError(settings.port, `${port} is already in use on ${host}; ${remedy}`);
    }
    case "EACCES":
      return new ConfigError(
        settings.port,
        `${port} is reserved for administrators; choose one from 1024 to 65535`,
      );
    case "EADDRNOTAVAIL":
    case "EAI_AGAIN":
    case "EINVAL":
    case "ENOTFOUND": {
      const remedy = "use 127.0.0.1, or 0.0.0.0 for all of its addresses";
      return new ConfigError(settings.host, `${host} is not an address of this machine; ${remedy}`);
    }
    default:
      return error;
  }
}
