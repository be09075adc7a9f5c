export { definitionOf, metricNames } from "../../src/definitions.ts";
export { CollectedMetrics, Scraped, scrape } from "./collected-metrics.ts";
export { type Family, readExposition, type Sample } from "./exposition.ts";
