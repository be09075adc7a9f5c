export { type Catalog, type CatalogOptions, type Cost, createCatalog, type TokenUsage } from "./catalog.ts";
export type { CatalogEntry, EntryPricing, EntryTier } from "./entry.ts";
