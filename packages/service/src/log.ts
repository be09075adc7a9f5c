import { type DestinationStream, type Logger, pino } from "pino";
import { terminalLine } from "./terminal-line.ts";

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

/** A reader of standard output that has stopped must not fill the memory: beyond this, lines are dropped. */
export const maxWaitingLogBytes = 16 * 1024 * 1024;

/** Never blocks: a full pipe would stop the whole process. What waits is written when the process exits. */
function standardOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false, maxLength: maxWaitingLogBytes });
  if (!process.stdout.isTTY) return output;
  return { write: (line) => void output.write(terminalLine(line)) };
}

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
  return pino(settings, options.destination ?? standardOutput());
}

export const silentLogger: Logger = pino({ level: "silent" });
