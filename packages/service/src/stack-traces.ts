import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/*
 * Importing this module makes the stack traces of a bundled process name the lines of the sources. Node can do that too, but reads
 * every map when it loads a module: a third of a start, and 50 MB. Here a map is read when a trace first names its module.
 */

const position = /(file:\/\/[^\s()]+\.mjs):(\d+):(\d+)/;
const maps = new Map<string, SourceMap | undefined>();

Error.prepareStackTrace = (error, sites) =>
  [
    Error.prototype.toString.call(error),
    ...sites.map((site) => `    at ${String(site).replace(position, sourceOf)}`),
  ].join("\n");

function sourceOf(place: string, url: string, line: string, column: string): string {
  const origin = mapOf(url)?.findOrigin(Number(line), Number(column));
  if (origin === undefined || !("fileName" in origin)) return place;
  const file = resolve(dirname(fileURLToPath(url)), origin.fileName);
  return `${file}:${origin.lineNumber}:${origin.columnNumber}`;
}

function mapOf(url: string): SourceMap | undefined {
  if (!maps.has(url)) maps.set(url, read(url));
  return maps.get(url);
}

/** Undefined for modules of Node and of libraries, and where the process may not read files. */
function read(url: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${fileURLToPath(url)}.map`, "utf8")));
  } catch {
    return undefined;
  }
}
