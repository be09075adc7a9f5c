export { type CollectionIndexes, ensureIndexes } from "./ensure-indexes.ts";
export {
  deletion,
  isDuplicateKey,
  isStoreFull,
  isStoreUnavailable,
  StoreUnreachableError,
  storeOutageOf,
  unlessDuplicate,
} from "./errors.ts";
export { type Database, type DatabaseOptions, openDatabase } from "./open-database.ts";
export { openStore, type Store, type StoreOptions } from "./open-store.ts";
export { atRevision, isAtRevision, nextRevision, type Revised, revisionOf } from "./revision.ts";
export { inBatches, shareCommands, sharedChanges, sharedInserts } from "./share-commands.ts";
export {
  type Before,
  change,
  countTakeOver,
  filterOf,
  givenUp,
  isHeld,
  type Lease,
  notHeld,
  type Transition,
  transitionsOf,
  updateOf,
} from "./transition.ts";
