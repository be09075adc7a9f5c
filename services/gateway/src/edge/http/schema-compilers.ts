import buildSerializers, { type SerializerFactory } from "@fastify/fast-json-stringify-compiler";
import type { TSchema } from "@muster/wire/schema";
import type { FastifyRequest, FastifySchemaCompiler } from "fastify";
import type { Validator } from "typebox/schema";
import type { App } from "./app.ts";
import { inspectorOf } from "./inspector.ts";

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
  let inspect: ReturnType<typeof inspectorOf>;
  return (value: unknown) => {
    if (!typebox) throw new Error("loadValidation comes first");
    if (validator === undefined) {
      validator = typebox.Compile(schema);
      const isBody = httpPart === "body";
      inspect = inspectorOf(schema, { isBody, isPatch: isBody && method === "PATCH" });
    }
    const misspelt = inspect?.(value) ?? [];
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
