import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/*
 * Node can name the lines of the sources in every stack itself, but reads all maps when it loads a module (a third of a start,
 * and 50 MB). `Error.prepareStackTrace` would read them for the first stack that anything reads: Node reads that of each error that
 * ends a stream, so that one client that leaves would stop all others for a fifth of a second. Here a stack is translated when it is
 * written.
 */

const position = /(file:\/\/[^\s()]+\.mjs):(\d+):(\d+)/g;
const maps = new Map<string, SourceMap | undefined>();
/** By position. Only as many as there are places in the code. */
const origins = new Map<string, string>();

interface SourceMap {
  sources: string[];
  mappings: string;
}

/** The stack of an error, with the lines of the sources instead of those of a bundle. */
export function sourceStack(stack: string): string {
  return stack.replace(position, (place: string, url: string, line: string, column: string) => {
    const origin = origins.get(place) ?? originOf(url, Number(line), Number(column)) ?? place;
    origins.set(place, origin);
    return origin;
  });
}

// Node writes the stack of an error that ends the process or the thread.
process.on("uncaughtExceptionMonitor", (error: unknown) => {
  if (error instanceof Error && error.stack !== undefined) error.stack = sourceStack(error.stack);
});

function originOf(url: string, line: number, column: number): string | undefined {
  if (!maps.has(url)) maps.set(url, read(url));
  const map = maps.get(url);
  const origin = map && find(map.mappings, line - 1, column - 1);
  if (origin === undefined) return undefined;
  const source = map?.sources[origin.source] ?? "";
  return `${resolve(dirname(fileURLToPath(url)), source)}:${origin.line + 1}:${origin.column + 1}`;
}

/** Undefined for modules of Node and of libraries, and where the process may not read files. */
function read(url: string): SourceMap | undefined {
  try {
    const { sources, mappings } = JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, "utf8"));
    return { sources, mappings };
  } catch {
    return undefined;
  }
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const [comma, semicolon] = [",".charCodeAt(0), ";".charCodeAt(0)];
const valueOfDigit = new Uint8Array(128);
for (let value = 0; value < digits.length; value += 1) valueOfDigit[digits.charCodeAt(value)] = value;

/**
 * The origin of a position, counted from 0, in the mappings of a source map (ECMA-426). Each number is the distance from the one
 * before it. It keeps none of them: a list of all would take 100 ms and 20 MB for the largest map.
 */
function find(mappings: string, wantedLine: number, wantedColumn: number) {
  let line = 0;
  let origin: { source: number; line: number; column: number } | undefined;
  /** The column in the bundle; the source, and the line and the column in it. */
  const state = [0, 0, 0, 0];
  let field = 0;
  let bits = 0;
  let shift = 0;
  for (let index = 0; index <= mappings.length; index += 1) {
    const code = index === mappings.length ? semicolon : mappings.charCodeAt(index);
    if (code === comma || code === semicolon) {
      if (line === wantedLine && field > 0 && (state[0] ?? 0) <= wantedColumn) {
        const [, source = 0, sourceLine = 0, sourceColumn = 0] = state;
        // Without them, what follows is of no source.
        origin = field >= 4 ? { source, line: sourceLine, column: sourceColumn } : undefined;
      }
      field = 0;
      if (code === comma) continue;
      if (line === wantedLine) break;
      line += 1;
      state[0] = 0;
      continue;
    }
    const digit = valueOfDigit[code] ?? 0;
    bits += (digit & 31) << shift;
    shift += 5;
    if (digit >= 32) continue;
    // The lowest bit is the sign.
    state[field] = (state[field] ?? 0) + (bits & 1 ? -(bits >> 1) : bits >> 1);
    field += 1;
    bits = 0;
    shift = 0;
  }
  return origin;
}
