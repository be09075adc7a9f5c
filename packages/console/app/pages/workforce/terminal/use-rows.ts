import { Screen } from "@muster/video/terminal";
import type { ScreenRow } from "@muster/video/terminal-rows";
import { useEffect, useRef, useState } from "react";
import type { CommandRun } from "../commands.ts";
import { piecesOf } from "./pieces.ts";

const maxRows = 2_000;

/** The letters of the self-hosted font: others can be wider or narrower than a cell. */
const isOfCodeFont = (character: string) => /^[\u0020-\u024f]$/.test(character);

interface Drawn {
  screen: Screen;
  columns: number;
  text: string;
}

/** The rows of a terminal in which the commands ran. New output is written to it; other changes draw it from its beginning. */
export function useRows(commands: readonly CommandRun[], columns: number): readonly ScreenRow[] {
  const [rows, setRows] = useState<readonly ScreenRow[]>([]);
  const drawn = useRef<Drawn>(undefined);
  const queue = useRef(Promise.resolve());
  const pieces = piecesOf(commands);
  const text = pieces.map((piece) => piece.text).join("\0");
  // biome-ignore lint/correctness/useExhaustiveDependencies: equal texts draw equal rows
  useEffect(() => {
    if (columns === 0) return;
    queue.current = queue.current.then(async () => setRows(await draw(drawn, { pieces, text }, columns)));
  }, [text, columns]);
  useEffect(
    () => () => {
      drawn.current?.screen.dispose();
      drawn.current = undefined;
    },
    [],
  );
  return rows;
}

async function draw(
  drawn: { current: Drawn | undefined },
  { pieces, text }: { pieces: ReturnType<typeof piecesOf>; text: string },
  columns: number,
): Promise<ScreenRow[]> {
  const before = drawn.current;
  const isContinued = before !== undefined && before.columns === columns && text.startsWith(before.text);
  if (!isContinued) before?.screen.dispose();
  const screen = isContinued
    ? before.screen
    : new Screen({ columns, rows: 24, scrollback: maxRows }, isOfCodeFont);
  let known = isContinued ? before.text.length : 0;
  for (const piece of pieces) {
    const rest = piece.text.slice(Math.min(known, piece.text.length));
    const isBegun = known > 0;
    known = Math.max(known - piece.text.length - 1, 0);
    if (rest === "") continue;
    if (!(isBegun && rest.length < piece.text.length) && !piece.isOutput) await screen.startLine();
    await screen.print(rest);
  }
  drawn.current = { screen, columns, text };
  return rowsOf(screen);
}

function rowsOf(screen: Screen): ScreenRow[] {
  const rows: ScreenRow[] = [];
  for (let index = -screen.rowsAbove; index < screen.rows; index++) rows.push(screen.row(index));
  const last = rows.findLastIndex(({ runs }) => runs.some(({ text }) => text.trim() !== ""));
  return rows.slice(0, last + 1);
}
