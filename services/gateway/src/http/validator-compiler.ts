import type { FastifySchemaCompiler } from "fastify";
import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";

/**
 * Validates without changing anything. The type provider's own compiler converts path and query values ("7" to 7, "yes" to
 * true), which turns some invalid requests into valid ones.
 */
export const strictValidatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema }) => {
  const validator = Compile(schema);
  return (value: unknown) => (validator.Check(value) ? { value } : { error: validator.Errors(value) });
};
