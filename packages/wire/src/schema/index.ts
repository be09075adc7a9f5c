export type { Static, TProperties, TSchema } from "typebox";
export { Type } from "./type.ts";
export * from "./words.ts";
