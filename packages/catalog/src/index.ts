export { type Catalog, type CatalogOptions, createCatalog } from "./catalog.ts";
export type { Cost, TokenUsage } from "./cost.ts";
export type { CatalogEntry, EntryPricing, EntryTier } from "./entry.ts";
