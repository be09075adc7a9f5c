export {
  type EmbeddedStore,
  type EmbeddedStoreOptions,
  type LoadedStore,
  loadEmbeddedStore,
  startEmbeddedStore,
} from "./start.ts";
