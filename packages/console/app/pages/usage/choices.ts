/** The properties that the page can split by. */
export const splits = { agent: "Agent", model: "Model", key: "Key", subject: "Subject" } as const;

export type Split = keyof typeof splits;

export const measures = { cost: "Cost", tokens: "Tokens" } as const;

export type Measure = keyof typeof measures;

/** An unknown word in the address is the default. */
export function oneOf<Value extends string>(
  values: Record<Value, string>,
  text: string | undefined,
  byDefault: Value,
) {
  return text !== undefined && Object.hasOwn(values, text) ? (text as Value) : byDefault;
}
