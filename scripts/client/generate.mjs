// Prints the types of @muster/client from the schemas of events and routes.
//   node scripts/client/generate.mjs [FILE]      Default: the file in the package
import { globSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { publicCodes } from "../../packages/wire/src/error-codes/index.ts";
import { eventSchemas, threadEventSchemas } from "../../packages/wire/src/events/index.ts";
import { TypePrinter } from "./type-printer.mjs";

const schemas = join(import.meta.dirname, "../../services/gateway/src/schemas");
const modules = await Promise.all(
  globSync(`${schemas}/*.ts`)
    .toSorted()
    .map((file) => import(file)),
);
const isNamed = ({ title, type, anyOf }) => typeof title === "string" && (type ?? anyOf) !== undefined;
const bodies = modules.flatMap((module) => Object.values(module)).filter(isNamed);

const printer = new TypePrinter();
const events = Object.values(eventSchemas);
for (const schema of [...events, ...Object.values(threadEventSchemas), ...bodies]) printer.add(schema);
printer.add({ title: "StreamEvent", description: "An event of a turn; `type` names it.", anyOf: events });
const ofThread = [...events, ...Object.values(threadEventSchemas)];
printer.add({ title: "ThreadEvent", description: "An event of a workforce thread.", anyOf: ofThread });
printer.add({ title: "ErrorCode", description: "The kind of an error.", enum: [...publicCodes] });

const file = join(import.meta.dirname, "../../packages/client/src/wire-types.ts");
const notice = "// Printed from the schemas of the server by `npm run generate`. Change those instead.\n\n";
writeFileSync(process.argv[2] ?? file, `${notice}${printer}`);
