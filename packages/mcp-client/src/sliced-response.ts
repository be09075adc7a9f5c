import { isLarge, nextTurn, parseInSlices } from "@muster/large-data";

/** Parses large JSON in slices: 10 MiB at once would block the main loop for a tenth of a second and more. */
export class SlicedResponse extends Response {
  override json = async (): Promise<ReturnType<typeof JSON.parse>> => {
    const decoder = new TextDecoder();
    let text = "";
    for await (const piece of this.body ?? []) text += decoder.decode(piece, { stream: true });
    text += decoder.decode();
    if (!isLarge(text)) return JSON.parse(text);
    const value = await parseInSlices(text);
    await nextTurn();
    return value;
  };
}
