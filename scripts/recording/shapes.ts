/** Parts of a picture that appear more than once: each is drawn once and then referred to. */
export class Shapes {
  readonly definitions: string[] = [];
  readonly #ids = new Map<string, string>();

  /** A reference to `content`, moved down by `y`. */
  use(content: string, y: number): string {
    const id = this.#ids.get(content) ?? this.#define(content);
    return `<use href="#${id}"${y === 0 ? "" : ` y="${y}"`}/>`;
  }

  #define(content: string): string {
    const id = `s${this.#ids.size.toString(36)}`;
    this.#ids.set(content, id);
    this.definitions.push(`<g id="${id}">${content}</g>`);
    return id;
  }
}
