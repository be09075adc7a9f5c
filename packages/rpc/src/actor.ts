/** `identity`: a token of an identity provider. `platform`: a part of the platform itself. */
export const actorKinds = ["key", "login", "token", "identity", "platform"] as const;

/** Who makes a change, for the audit log. */
export interface Actor {
  kind: (typeof actorKinds)[number];
  id: string;
  /** The address of the client. Absent: it is not known. */
  ip?: string;
}

export const actorHeader = "muster-actor";

/** The value of the header: the address that the edge knows, and for whom the workforce service acts. */
export function actorText({ kind, id = "", ip = "" }: Partial<Actor>): string {
  return `${kind ?? ""},${id},${ip}`;
}
