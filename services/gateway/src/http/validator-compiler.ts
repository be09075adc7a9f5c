import type { FastifySchemaCompiler } from "fastify";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";

/**
 * Checks and changes nothing. The type provider's own compiler converts path and query values ("7" to 7, "yes" to
 * true), which turns some wrong requests into others.
 */
export const strictValidatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema }) => {
  const validator = Compile(schema);
  return (value: unknown) => (validator.Check(value) ? { value } : { error: validator.Errors(value) });
};
