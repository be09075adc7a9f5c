import type { CounterName, GaugeName, HistogramName, LabelsOf } from "./definitions.ts";

/** Where the parts of a process report what happens. Absent if metrics are not collected: then nothing is counted. */
export interface Metrics {
  /** Adds to a counter; 1 unless `by` is given. */
  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by?: number): void;
  /** Records a measured value, such as a duration in seconds. */
  observe<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>, value: number): void;
  /**
   * Reads a gauge at every scrape. A value that does not arrive within two seconds, or fails, is missing in that scrape.
   * Returns a function that ends it.
   */
  gauge<Name extends GaugeName>(name: Name, labels: LabelsOf<Name>, read: ReadGauge): () => void;
}

/** The present value; undefined if there is none. */
export type ReadGauge = () => number | undefined | Promise<number | undefined>;
