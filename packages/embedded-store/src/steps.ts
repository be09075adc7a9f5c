import type { Doc } from "./bson/value.ts";

/**
 * Work in slices: at each `yield`, other commands may run and change anything. A bulk write yields its progress,
 * from which it continues if its next writes are undone because the disk is full. Work that yields a promise, which must not be rejected, waits for it.
 */
export type Steps<Result> = Generator<Doc | Promise<unknown> | undefined, Result, undefined>;
