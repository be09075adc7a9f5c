import type { NewId } from "@muster/service";

const printable = /^[\x20-\x7e]{1,128}$/;

/** The client's id if it is 1-128 printable ASCII characters, otherwise a new one. */
export function requestIdFrom(header: string | string[] | undefined, newId: NewId): string {
  return typeof header === "string" && printable.test(header) ? header : newId("req");
}
