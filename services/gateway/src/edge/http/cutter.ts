type Cut = (value: unknown) => void;

/** The parts of a schema that are read. */
interface Shape {
  properties?: Readonly<Record<string, object>>;
  items?: object;
  maxItems?: number;
}

/**
 * Cuts the lists in a value that are longer than their schema allows to one item more, so that the schema refuses them by their length,
 * without a visit to every item. Changes the value, which is refused then. Undefined if the schema bounds no list.
 */
export function cutterOf(schema: object): Cut | undefined {
  const { items, maxItems, properties = {} }: Shape = schema;
  if (items !== undefined) return listCutter(items, maxItems);
  const cuts = Object.entries(properties).flatMap(([name, property]) => {
    const cut = cutterOf(property);
    return cut === undefined ? [] : [{ name, cut }];
  });
  if (cuts.length === 0) return undefined;
  return (value) => {
    if (typeof value !== "object" || value === null) return;
    for (const { name, cut } of cuts) if (Object.hasOwn(value, name)) cut(Reflect.get(value, name));
  };
}

function listCutter(items: object, maxItems = Number.POSITIVE_INFINITY): Cut | undefined {
  const cut = cutterOf(items);
  if (maxItems === Number.POSITIVE_INFINITY && cut === undefined) return undefined;
  return (value) => {
    if (!Array.isArray(value)) return;
    if (value.length > maxItems) value.length = maxItems + 1;
    if (cut !== undefined) for (const item of value) cut(item);
  };
}
