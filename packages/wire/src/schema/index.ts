export type { Static, TProperties, TSchema } from "typebox";
export { Type } from "typebox";
export * from "./words.ts";
