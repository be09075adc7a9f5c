const digits = 24;

/** Whether a decimal without sign or exponent is at least another one, to the last digit. */
export function isAtLeast(a: string, b: string): boolean {
  return units(a) >= units(b);
}

function units(text: string): bigint {
  const [whole = "0", fraction = ""] = text.split(".");
  return BigInt(whole + fraction.slice(0, digits).padEnd(digits, "0"));
}

/** A JSON number of dollars as a decimal without exponent. */
export function decimalText(value: number): string {
  return value.toFixed(12).replace(/\.?0+$/, "");
}
