import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useTheme } from "../../frame/theme.ts";
import { type Bar, partColours } from "./bar.ts";

interface Props {
  label: string;
  bars: readonly Bar[];
  format: (value: number) => string;
  /** The bar under the pointer. */
  onPoint: (bar: Bar | undefined) => void;
}

const height = 220;

/** A bar per day, from zero. Its numbers are in the table of days, which readers of screens have instead. */
export function Bars({ label, bars, format, onPoint }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const { dark } = useTheme();
  const latest = useRef(onPoint);
  latest.current = onPoint;

  useEffect(() => {
    const target = box.current;
    if (target === null) return;
    const made = new uPlot(
      optionsOf(target.clientWidth, bars, format, (index) =>
        latest.current(index === null ? undefined : bars[index]),
      ),
      [bars.map((_, index) => index), ...layersOf(bars)],
      target,
    );
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: target.clientWidth, height }));
    resized.observe(target);
    return () => {
      resized.disconnect();
      made.destroy();
    };
  }, [bars, format]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours are those of the theme
  useEffect(() => plot.current?.redraw(), [dark]);

  return <div ref={box} role="img" aria-label={label} className="min-w-0 overflow-hidden" />;
}

/** Each layer covers the one before from below: the whole bars, and then less and less of their parts. */
function layersOf(bars: readonly Bar[]): number[][] {
  const most = Math.max(0, ...bars.map(({ parts }) => parts.length));
  const sums = Array.from({ length: most }, (_, index) =>
    bars.map(({ parts }) => parts.slice(0, most - index).reduce((sum, part) => sum + part, 0)),
  );
  return [bars.map(({ value }) => value), ...sums];
}

function layerColour(layer: number, layers: number): string {
  if (layer > 0) return partColours[layers - layer - 1] ?? "--faint";
  return layers > 1 ? "--faint" : "--accent";
}

function optionsOf(
  width: number,
  bars: readonly Bar[],
  format: (value: number) => string,
  onIndex: (index: number | null) => void,
): uPlot.Options {
  const axis = {
    stroke: () => colour("--muted"),
    font: "12px Inter, system-ui, sans-serif",
    ticks: { show: false },
  };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, y: false, points: { show: false } },
    scales: {
      x: { time: false, range: () => [-0.6, bars.length - 0.4] },
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        splits: (plot) => splitsOf(bars.length, plot.width),
        values: (_plot, splits) => splits.map((index) => shortDay(bars[index]?.day)),
      },
      {
        ...axis,
        size: 64,
        grid: { stroke: () => colour("--line"), width: 1 },
        values: (_plot, splits) => splits.map(format),
      },
    ],
    series: [
      {},
      ...layersOf(bars).map((_, layer, { length }) => ({
        fill: () => colour(layerColour(layer, length)),
        width: 0,
        points: { show: false },
        ...(uPlot.paths.bars !== undefined && { paths: uPlot.paths.bars({ size: [0.7, 48], radius: 0.15 }) }),
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onIndex(cursor.idx ?? null)] },
  };
}

/** The days whose labels have space. */
function splitsOf(days: number, width: number): number[] {
  const step = Math.max(1, Math.ceil(days / Math.max(1, Math.floor((width - 64) / 56))));
  return Array.from({ length: Math.ceil(days / step) }, (_, index) => index * step);
}

/** `24 Nov`. */
function shortDay(day: string | undefined): string {
  if (day === undefined) return "";
  return new Date(day).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
}

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
