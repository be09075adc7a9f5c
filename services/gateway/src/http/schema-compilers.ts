import buildSerializers, { type SerializerFactory } from "@fastify/fast-json-stringify-compiler";
import type { FastifySchemaCompiler } from "fastify";
import type { TSchema } from "typebox";
import { Compile, type Validator } from "typebox/schema";

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
const compileStrictValidator: FastifySchemaCompiler<TSchema> = ({ schema }) => {
  let validator: Validator | undefined;
  return (value: unknown) => {
    validator ??= Compile(schema);
    if (validator.Check(value)) return { value };
    const [, error] = validator.Errors(value);
    return { error };
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
