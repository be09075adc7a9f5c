import buildSerializers, { type SerializerFactory } from "@fastify/fast-json-stringify-compiler";
import type { TSchema } from "@muster/wire/schema";
import type { FastifyRequest, FastifySchemaCompiler } from "fastify";
import type { Validator } from "typebox/schema";
import { misspeltMembersOf } from "../errors/misspelt-members.ts";
import type { App } from "./app.ts";

let typebox: typeof import("typebox/schema") | undefined;

/** Loads what compiles validators: 230 modules, which a start need not wait for. */
export async function loadValidation(): Promise<void> {
  typebox ??= await import("typebox/schema");
}

/** The first request that is validated waits until it can be. */
export function loadValidationWhenNeeded(app: App): void {
  app.addHook("preValidation", (request, _reply, done) => {
    if (typebox || !isValidated(request)) done();
    else loadValidation().then(() => done(), done);
  });
}

function isValidated({ routeOptions: { schema } }: FastifyRequest): boolean {
  return Boolean(schema?.body || schema?.headers || schema?.params || schema?.querystring);
}

/**
 * Compiles each schema when the first request needs it: there are hundreds, and compiling all of them would take a third
 * of the start. A test compiles them all.
 */
const buildLazySerializers: SerializerFactory = (externalSchemas, options) => {
  const compile = buildSerializers()(externalSchemas, options);
  return (route) => {
    let serialize: ReturnType<typeof compile> | undefined;
    return (value) => {
      serialize ??= compile(route);
      return serialize(value);
    };
  };
};

/**
 * Validates without changing anything. The type provider's own compiler converts path and query values ("7" to 7, "yes" to
 * true), which turns some invalid requests into valid ones.
 */
const compileStrictValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart, method }) => {
  let validator: Validator | undefined;
  let cut: ReturnType<typeof cutterOf>;
  let findMisspelt: ReturnType<typeof misspeltMembersOf>;
  return (value: unknown) => {
    if (!typebox) throw new Error("loadValidation comes first");
    if (validator === undefined) {
      validator = typebox.Compile(schema);
      cut = cutterOf(schema);
      if (httpPart === "body") findMisspelt = misspeltMembersOf(schema, { isPatch: method === "PATCH" });
    }
    cut?.(value);
    const misspelt = findMisspelt?.(value) ?? [];
    if (!validator.Check(value)) return { error: [...misspelt, ...validator.Errors(value)[1]] };
    return misspelt.length > 0 ? { error: misspelt } : { value };
  };
};

export const schemaCompilers = {
  validator: compileStrictValidator,
  buildSerializer: buildLazySerializers,
  // Otherwise Fastify would load its own, with Ajv, before the app sets `validator`.
  buildValidator: (): never => {
    throw new Error("the app sets the validator");
  },
};

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
