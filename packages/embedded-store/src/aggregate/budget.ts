import { StoreError } from "../errors.ts";

const maxBytes = 100 * 1024 * 1024;

/** Limits the memory of one stage, as MongoDB does for stages that may not use the disk. */
export class MemoryBudget {
  #bytes = 0;

  take(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= maxBytes) return;
    const problem = `The aggregation exceeds the memory limit of ${maxBytes} bytes; filter, project or limit earlier`;
    throw new StoreError("QueryExceededMemoryLimitNoDiskUseAllowed", problem);
  }
}
