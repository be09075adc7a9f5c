/** A value of a body that stays JSON text, because the gateway passes it on without reading it. */
export class RelayedJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The JSON of a value of a body, relayed or not. */
export function jsonTextOf(value: unknown): string {
  return value instanceof RelayedJson ? value.text : JSON.stringify(value);
}

/** How a large body is read: without parsing on the main thread what is only passed on. */
export interface RelayPlan {
  /** The fields that the route reads. All others are dropped. */
  fields: readonly string[];
  /** Longer lists among these fields keep one item more, so that the schema refuses them without a visit to every item. */
  maxItems: number;
  /** Paths of objects to relay; `*` means every item of a list. Values of other types are kept, so that the schema refuses them. */
  objects: readonly string[];
  /** Paths of values of any type to relay. */
  values: readonly string[];
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** The values of a large body that the route passes on as JSON. Default: none; the whole body is parsed. */
    relays?: RelayPlan;
  }
}
