import type { Clock, Logger, NewId } from "@muster/service";
import type { LastUse } from "./last-use.ts";
import type { KeyStore } from "./store/keys.ts";
import type { ProjectStore } from "./store/projects.ts";

/** Everything that the RPCs need. */
export interface AuthContext {
  keys: KeyStore;
  projects: ProjectStore;
  lastUse: LastUse;
  /** Called after a write that left an event in an outbox. */
  wakeOutbox(): void;
  clock: Clock;
  newId: NewId;
  random: (size: number) => Uint8Array;
  log: Logger;
}
