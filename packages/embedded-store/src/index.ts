export { type EmbeddedStore, type EmbeddedStoreOptions, startEmbeddedStore } from "./start.ts";
