/** Digits after the point that the services take: far below the price of a token. */
const places = 12;
const plain = new RegExp(`^\\d+(\\.\\d{1,${places}})?$`);

/** A JSON number that is not negative as a decimal number, rounded to what the services take. */
export function decimalOf(value: number): string {
  const text = String(value);
  return plain.test(text) ? text : value.toFixed(places).replace(/\.?0+$/, "");
}
