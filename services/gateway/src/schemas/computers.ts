import { flag, list, nullable, object, optional, Type, text } from "@muster/wire/schema";
import { body, nextCursor, pageQuery, segmentOf, timeOf } from "./common.ts";
import { createComputerExample, createComputerTokenExample } from "./examples.ts";

export const computerParams = Type.Object({ id: segmentOf("The id of the computer.") });

export const createComputerBody = body(
  "CreateComputerRequest",
  "The computer to create.",
  createComputerExample,
  {
    name: text("The name of the computer.", { minLength: 1, maxLength: 100 }),
    kind: text("`dedicated` or `mac`.", { maxLength: 64 }),
    os: text("`linux`, `windows` or `macos`; `macos` for a mac.", { maxLength: 64 }),
  },
);

export const computerReply = object("Computer", "A computer that dials in.", {
  id: text("The id of the computer."),
  name: text("The name of the computer, or of its agent."),
  kind: text("`dedicated`, `mac` or `cli`; more can be added."),
  os: text("`linux`, `windows` or `macos`; more can be added."),
  state: text(
    "`running` while it is connected, `starting` while it may reconnect, `down` or `none`; more can be added.",
  ),
  shared: flag("True if several agents may use it."),
  agentIds: list("The workforce agents that use it.", text("An id.")),
  runtimeVersion: nullable("The release of its runtime; null if it has never connected."),
  region: nullable("The location of the computer; null if unknown."),
  connectedAt: nullable("When it connected; null unless it is connected.", timeOf("A time.")),
  lastSeenAt: nullable("When it was last connected; null if it never was.", timeOf("A time.")),
  createdAt: timeOf("When it was created."),
});

export const computerListQuery = Type.Object(pageQuery("computers", 50));

export const computerListReply = object("ComputerList", "A page of computers.", {
  computers: list("Newest first.", computerReply),
  nextCursor,
});

export const deletedComputerReply = object("DeletedComputer", "The computer and its tokens are gone.", {
  id: text("The id of the computer."),
  deleted: flag("True."),
});

/** `id`: of a computer, or of the workforce agent whose computer it is. */
export const computerTokensParams = Type.Object({
  id: segmentOf("The id of the computer, or of the workforce agent whose computer it is."),
});

export const computerTokenParams = Type.Object({
  ...computerTokensParams.properties,
  tokenId: segmentOf("The id of the token."),
});

export const createComputerTokenBody = body(
  "CreateComputerTokenRequest",
  "The new token.",
  createComputerTokenExample,
  {
    name: text("The name of the token, such as that of the machine.", { minLength: 1, maxLength: 100 }),
    expiresAt: optional(
      nullable("When the token stops working, in ISO 8601. Default: never.", Type.String({ maxLength: 64 })),
    ),
  },
);

const computerTokenFields = {
  id: text("The id of the token."),
  name: text("The name of the token, such as that of the machine."),
  createdAt: timeOf("When the token was created."),
  expiresAt: nullable("When the token stops working; null for never.", timeOf("A time.")),
};

export const createComputerTokenReply = object("CreatedComputerToken", "The new token.", {
  ...computerTokenFields,
  computerId: text("The computer that it connects."),
  token: text("The secret, which is shown only once."),
});

export const computerTokenListReply = object("ComputerTokenList", "The tokens of the computer.", {
  tokens: list(
    "Newest first.",
    object("ComputerToken", "A token of a computer, without its secret.", {
      ...computerTokenFields,
      lastUsedAt: nullable("When it was last used, to the minute; null for never.", timeOf("A time.")),
    }),
  ),
});

export const deletedComputerTokenReply = object("DeletedComputerToken", "The token no longer works.", {
  id: text("The id of the token."),
  deleted: flag("True."),
});
