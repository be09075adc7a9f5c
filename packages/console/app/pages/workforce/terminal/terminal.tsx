import { palettes } from "@muster/video/palettes";
import { TerminalColors } from "@muster/video/terminal-colors";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useTheme } from "../../../frame/theme.ts";
import type { CommandRun } from "../commands.ts";
import { Row } from "./row.tsx";
import { useRows } from "./use-rows.ts";

/** The contrast that text of a page needs. */
const minContrast = 4.5;

/** The terminal of the agent's computer. It follows the output, unless the reader has scrolled up. */
export function Terminal({ commands, isRunning }: { commands: readonly CommandRun[]; isRunning: boolean }) {
  const scroller = useRef<HTMLDivElement>(null);
  const columns = useColumns(scroller);
  const rows = useRows(commands, columns);
  const { dark } = useTheme();
  const palette = palettes[dark ? "dark" : "light"];
  const colors = useMemo(() => new TerminalColors(palette, minContrast), [palette]);
  const isAtEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new rows are below the old ones
  useLayoutEffect(() => {
    if (isAtEnd.current) scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  }, [rows]);
  return (
    <section
      aria-label="Terminal"
      className="flex min-h-0 flex-1 flex-col overflow-hidden rounded-card border border-line bg-code"
    >
      <div
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls needs the keyboard
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 30;
        }}
        className="min-h-0 flex-1 overflow-auto p-3 font-mono text-table text-text"
      >
        {rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is its place
          <Row key={index} row={row} colors={colors} palette={palette} />
        ))}
        {commands.length === 0 && (
          <p className="font-sans text-muted">
            {isRunning ? "No command has run yet." : "The agent ran no commands."}
          </p>
        )}
      </div>
    </section>
  );
}

/** How many characters fit into a line; 0 until it is known. */
function useColumns(scroller: React.RefObject<HTMLDivElement | null>): number {
  const [columns, setColumns] = useState(0);
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const probe = document.createElement("span");
    probe.textContent = "0".repeat(100);
    probe.className = "absolute invisible whitespace-pre";
    const measure = () => {
      element.append(probe);
      const width = probe.getBoundingClientRect().width / 100;
      probe.remove();
      const { paddingLeft, paddingRight } = getComputedStyle(element);
      const space = element.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
      setColumns(Math.min(Math.max(Math.floor(space / width), 20), 200));
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    void document.fonts.ready.then(measure);
    return () => observer.disconnect();
  }, [scroller]);
  return columns;
}
