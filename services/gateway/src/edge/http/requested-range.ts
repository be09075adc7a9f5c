/** Positions of bytes. Both are included. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const rangeUnit = /^bytes=/i;
const rangeSpec = /^(?:(\d+)-(\d*)|-(\d+))$/;

/**
 * The part of `size` bytes that a Range header asks for. A header that is malformed or of another unit is ignored, as RFC 9110
 * allows: the whole answers it. So are several ranges of which more than one can be satisfied.
 */
export function requestedRange(
  header: string | undefined,
  size: number,
): ByteRange | "whole" | "unsatisfiable" {
  if (header === undefined || !rangeUnit.test(header)) return "whole";
  const wanted = specsOf(header.slice(header.indexOf("=") + 1)).map((spec) => rangeOf(spec, size));
  if (wanted.length === 0 || wanted.includes("malformed")) return "whole";
  const [range, ...others] = wanted.filter((each) => typeof each === "object");
  if (range === undefined) return "unsatisfiable";
  return others.length > 0 ? "whole" : range;
}

/** Recipients ignore empty elements of a list. */
function specsOf(list: string): string[] {
  return list
    .split(",")
    .map((spec) => spec.replace(/^[ \t]+|[ \t]+$/g, ""))
    .filter((spec) => spec !== "");
}

function rangeOf(spec: string, size: number): ByteRange | "malformed" | "unsatisfiable" {
  const [matched, first = "", last = "", suffix] = rangeSpec.exec(spec) ?? [];
  if (matched === undefined) return "malformed";
  if (suffix !== undefined) return cut(Math.max(0, size - Number(suffix)), size - 1, size);
  if (last !== "" && Number(last) < Number(first)) return "malformed";
  return cut(Number(first), last === "" ? size - 1 : Math.min(Number(last), size - 1), size);
}

function cut(start: number, end: number, size: number): ByteRange | "unsatisfiable" {
  return start < size ? { start, end } : "unsatisfiable";
}
