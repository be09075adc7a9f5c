import { arrivals } from "./arrivals.ts";
import type { FloodGroup } from "./flood.ts";
import { largeValues } from "./large-values.ts";
import { reads } from "./reads.ts";
import { starts } from "./starts.ts";
import { stoppedReaders } from "./stopped-readers.ts";

/** All floods, by the name that selects them. Each group begins with a fresh server. */
export const floods: Readonly<Record<string, FloodGroup>> = {
  arrivals,
  "large-values": largeValues,
  reads,
  starts,
  "stopped-readers": stoppedReaders,
};
