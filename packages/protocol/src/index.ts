export { checkInput, type InputCheck } from "./check-input.ts";
export { checkValue, type ValueIssue } from "./check-value.ts";
export type { JsonObject, JsonSchema, JsonValue } from "./json.ts";
export type * from "./program.ts";
export { type Condition, mapInput, renderTemplate, type Template, type TemplatePart } from "./template.ts";
