import { type DestinationStream, type Logger, pino, type SerializedError } from "pino";
import { sourceStack } from "./source-stack.ts";
import { standardOutput } from "./standard-output.ts";

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
const secretNames = ["authorization", "credential", "token", "apiKey"];
const censor = "[secret]";

/** JSON lines with ISO times; at a terminal, one short line for each. Bind `requestId` with `child` for all lines of one request. */
export function createLogger(options: LogOptions): Logger {
  const settings = {
    name: options.name,
    level: options.level,
    timestamp: pino.stdTimeFunctions.isoTime,
    base: { name: options.name },
    redact: { paths: [...secretNames, "key"], censor },
    formatters: { log: censorNested },
    serializers: {
      err: (error: Error) => censored(withoutDetails(readable(pino.stdSerializers.err(error)))),
    },
  };
  return pino(settings, options.destination ?? standardOutput(options.name));
}

export const silentLogger: Logger = pino({ level: "silent" });

/**
 * The limits of the objects in a line. The wildcards of pino's `redact` would treat every field of every line, texts
 * included.
 */
function censorNested(fields: Record<string, unknown>): Record<string, unknown> {
  let clean = fields;
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    // Errors become objects later, in their serializer.
    if (typeof value !== "object" || value === null || value instanceof Error) continue;
    const cleanValue = censored(value);
    if (cleanValue !== value) clean = { ...clean, [name]: cleanValue };
  }
  return clean;
}

/** Callers also log values other than errors. */
function readable(error: Partial<SerializedError>): object {
  return typeof error.stack === "string" ? { ...error, stack: sourceStack(error.stack) } : error;
}

/** The details of a refused call contain the descriptors of its messages: kilobytes, and nothing that its text lacks. */
function withoutDetails({ details, ...error }: object & { details?: unknown }): object {
  return Array.isArray(details) ? error : { details, ...error };
}

function censored(fields: object): object {
  let clean = fields;
  for (const name of secretNames) if (Object.hasOwn(fields, name)) clean = { ...clean, [name]: censor };
  return clean;
}
