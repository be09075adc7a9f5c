/** The exact sum of two decimals without sign or exponent, such as `0.15`; it has no trailing zeros. */
export function addDecimals(a: string, b: string): string {
  // Most fees of the platform, and all of local models.
  if (a === "0" && b === "0") return "0";
  const [wholeA = "0", fractionA = ""] = a.split(".");
  const [wholeB = "0", fractionB = ""] = b.split(".");
  const digits = Math.max(fractionA.length, fractionB.length);
  const sum = BigInt(wholeA + fractionA.padEnd(digits, "0")) + BigInt(wholeB + fractionB.padEnd(digits, "0"));
  const text = sum.toString().padStart(digits + 1, "0");
  const whole = text.slice(0, text.length - digits);
  const fraction = text.slice(text.length - digits).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** Compares two such decimals. */
export function isAtLeast(a: string, b: string): boolean {
  const [wholeA = "0", fractionA = ""] = a.split(".");
  const [wholeB = "0", fractionB = ""] = b.split(".");
  const digits = Math.max(fractionA.length, fractionB.length);
  return BigInt(wholeA + fractionA.padEnd(digits, "0")) >= BigInt(wholeB + fractionB.padEnd(digits, "0"));
}
