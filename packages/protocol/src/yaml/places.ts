import type { LineCounter } from "yaml";
import type { Position } from "../diagnostics.ts";
import { rootPath } from "./syntax.ts";

/** The path of an entry of a list or map; the root itself has the path "". */
export function pathIn(outer: string, key: string | number): string {
  return outer === "" ? `${key}` : `${outer}.${key}`;
}

/** The place of a piece of the text. The root has its own name, as has an empty key at the top, which has no other path. */
export function placeAt(
  lines: LineCounter,
  offset: number,
  path: string,
): { readonly path: string; readonly position: Position } {
  return { path: path === "" ? rootPath : path, position: positionAt(lines, offset) };
}

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}
