/** The reference to an agent in RPCs, from the path and `?by=`. */
export function agentRef(id: string, by: "id" | "slug" | undefined) {
  return { by: by === "slug" ? { case: "slug" as const, value: id } : { case: "id" as const, value: id } };
}
