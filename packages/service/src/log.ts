import { type DestinationStream, type Logger, pino } from "pino";
import { createStandardOutput } from "./standard-output.ts";

export type { Logger } from "pino";

export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;

export type LogLevel = (typeof logLevels)[number];

export interface LogOptions {
  /** The service's name, included in every line. */
  name: string;
  level: LogLevel;
  /** Destination of the lines; standard output by default. */
  destination?: DestinationStream;
}

// A second line of defence: nothing should log these in the first place.
const redacted = [
  "authorization",
  "headers.authorization",
  "credential",
  "key",
  "token",
  "apiKey",
  "*.authorization",
  "*.credential",
  "*.apiKey",
  "*.token",
];

/** JSON lines with ISO times; at a terminal, one short line for each. Bind `requestId` with `child` for all lines of one request. */
export function createLogger(options: LogOptions): Logger {
  const settings = {
    name: options.name,
    level: options.level,
    timestamp: pino.stdTimeFunctions.isoTime,
    base: { name: options.name },
    redact: { paths: redacted, censor: "[secret]" },
    serializers: { err: pino.stdSerializers.err },
  };
  return pino(settings, options.destination ?? createStandardOutput());
}

export const silentLogger: Logger = pino({ level: "silent" });
