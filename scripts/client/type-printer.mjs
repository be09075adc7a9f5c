/**
 * Prints JSON Schemas as TypeScript. A schema with a title becomes an exported type of that name, and every other one is
 * written where it is used.
 */
export class TypePrinter {
  /** @type {Map<string, { schema: object, text: string }>} */
  #named = new Map();

  /** Whether callers write the values: then arrays can be read-only, and absent fields undefined. */
  #isInput = false;

  /** Declares a schema, and every one with a title inside it that is not declared yet. */
  add(schema) {
    this.#isInput = schema.title.endsWith("Request");
    this.#typeOf(schema);
  }

  toString() {
    return [...this.#named.values()].map(({ text }) => text).join("\n");
  }

  #typeOf(schema) {
    const { title } = schema;
    if (title === undefined) return this.#write(schema, "");
    const known = this.#named.get(title);
    if (known === undefined) {
      const entry = { schema, text: "" };
      this.#named.set(title, entry);
      entry.text = this.#declare(schema);
    } else if (JSON.stringify(known.schema) !== JSON.stringify(schema))
      throw new Error(`Two different schemas have the title ${title}`);
    return title;
  }

  #declare(schema) {
    const { title, description = "", properties } = schema;
    const written = this.#write(schema, "");
    const isInterface = properties !== undefined && Object.keys(properties).length > 0;
    const declared = isInterface ? `interface ${title} ${written}` : `type ${title} = ${written};`;
    return `${comment(description)}export ${declared}\n`;
  }

  #write(schema, indent) {
    if (schema["x-typescript"] !== undefined) return schema["x-typescript"];
    if (schema.const !== undefined) return JSON.stringify(schema.const);
    if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    const members = schema.anyOf ?? schema.oneOf;
    if (members !== undefined) return members.map((member) => this.#inner(member, indent)).join(" | ");
    if (Array.isArray(schema.type)) return schema.type.join(" | ");
    switch (schema.type) {
      case undefined:
        return "unknown";
      case "integer":
        return "number";
      case "array":
        return `${this.#isInput ? "ReadonlyArray" : "Array"}<${this.#inner(schema.items, indent)}>`;
      case "object":
        return this.#writeObject(schema, indent);
      default:
        return schema.type;
    }
  }

  #inner(schema, indent) {
    return schema.title === undefined ? this.#write(schema, indent) : this.#typeOf(schema);
  }

  #writeObject({ properties = {}, required = [], additionalProperties = false }, indent) {
    const names = Object.keys(properties);
    const isOpen = additionalProperties !== false;
    const rest =
      isOpen && additionalProperties !== true ? this.#inner(additionalProperties, indent) : "unknown";
    if (names.length === 0) return `Record<string, ${isOpen ? rest : "never"}>`;
    const inner = `${indent}  `;
    const fields = names.map((name) => {
      const schema = properties[name];
      const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
      const isRequired = required.includes(name);
      const mark = isRequired ? ":" : "?:";
      const orNot = isRequired || !this.#isInput ? "" : " | undefined";
      return `${comment(schema.description ?? "", inner)}${inner}${key}${mark} ${this.#inner(schema, inner)}${orNot};\n`;
    });
    // No interface could be passed as an object with an index signature.
    if (isOpen && !this.#isInput) fields.push(`${inner}[name: string]: unknown;\n`);
    return `{\n${fields.join("")}${indent}}`;
  }
}

function comment(text, indent = "") {
  return text === "" ? "" : `${indent}/** ${text.replaceAll("*/", "*\\/")} */\n`;
}
