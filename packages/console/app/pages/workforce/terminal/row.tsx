import type { Palette } from "@muster/video/palettes";
import type { TerminalColors } from "@muster/video/terminal-colors";
import type { CellStyle, ScreenRow } from "@muster/video/terminal-rows";
import { type CSSProperties, memo } from "react";

interface Props {
  row: ScreenRow;
  colors: TerminalColors;
  palette: Palette;
}

/** A row of cells. One that looks the same is not rendered again. */
export const Row = memo(
  function Row({ row, colors, palette }: Props) {
    return (
      <div className="h-5 whitespace-pre">
        {row.runs.map(({ column, columns, text, style, isSingle }) => (
          <span
            key={column}
            style={{
              ...styleOf(style, colors, palette),
              // Characters of other fonts keep to their cells.
              ...(isSingle && { display: "inline-block", width: `${columns}ch`, overflow: "hidden" }),
            }}
          >
            {text}
          </span>
        ))}
      </div>
    );
  },
  (before, after) => before.row.key === after.row.key && before.colors === after.colors,
);

function styleOf(style: CellStyle, colors: TerminalColors, palette: Palette): CSSProperties {
  const { foreground, background, isInverse, isBold, isItalic, isUnderlined, isStruck } = style;
  const front = colors.foreground(foreground, isBold);
  const back = colors.background(background);
  const behind = isInverse ? front : back;
  const text = colors.readable(isInverse ? (back ?? palette.code) : front, behind ?? palette.code);
  const lines = [isUnderlined && "underline", isStruck && "line-through"].filter((line) => line !== false);
  return {
    ...(text !== palette.text && { color: text }),
    ...(behind !== undefined && { background: behind }),
    ...(isBold && { fontWeight: 700 }),
    ...(isItalic && { fontStyle: "italic" }),
    ...(lines.length > 0 && { textDecoration: lines.join(" ") }),
  };
}
