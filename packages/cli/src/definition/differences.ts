import type { DefinitionSource } from "@muster/language";
import { type FileOfDefinition, filesOf } from "@muster/language/folder";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import type { Output, Style } from "../output.ts";

export interface Difference {
  readonly path: string;
  readonly kind: "added" | "removed" | "changed";
  /** A unified diff with file names. */
  readonly diff: string;
}

/** Without it, two texts with no common line would keep the algorithm busy for minutes. */
const diffTimeoutMs = 2_000;

/** The differences between two definitions, file by file. Without a `before`, every file is added. */
export function differencesOf(before: DefinitionSource | undefined, after: DefinitionSource): Difference[] {
  const old = byPath(before === undefined ? [] : filesOf(before));
  const now = byPath(filesOf(after));
  const paths = [...new Set([...now.keys(), ...old.keys()])];
  return paths.flatMap((path) => {
    const [left, right] = [old.get(path), now.get(path)];
    if (left === right) return [];
    const kind = left === undefined ? "added" : right === undefined ? "removed" : "changed";
    return [{ path, kind, diff: unifiedDiff(path, left, right) }] satisfies Difference[];
  });
}

function byPath(files: readonly FileOfDefinition[]): Map<string, string> {
  return new Map(files.map(({ path, text }) => [path, text]));
}

/** `undefined` represents a file that does not exist. */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  const from = before === undefined ? "/dev/null" : `a/${path}`;
  const to = after === undefined ? "/dev/null" : `b/${path}`;
  const options = { context: 3, timeout: diffTimeoutMs, headerOptions: FILE_HEADERS_ONLY };
  const patch = createTwoFilesPatch(from, to, before ?? "", after ?? "", undefined, undefined, options);
  return patch ?? `--- ${from}\n+++ ${to}\n(too different for a line-by-line diff)\n`;
}

const styles: ReadonlyArray<[prefix: string, style: Style]> = [
  ["---", "bold"],
  ["+++", "bold"],
  ["@@", "cyan"],
  ["+", "green"],
  ["-", "red"],
];

/** Prints diffs to standard output. */
export function showDiffs(out: Output, diffs: ReadonlyArray<{ diff: string }>): void {
  for (const { diff } of diffs) {
    for (const line of diff.replace(/\n$/, "").split("\n")) {
      const style = styles.find(([prefix]) => line.startsWith(prefix))?.[1];
      out.line(style === undefined ? line : out.style(style, line));
    }
  }
}
