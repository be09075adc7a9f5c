import { object, Type, text } from "@muster/wire/schema";
import { timeOf } from "./common.ts";

export const loginReply = object("Login", "The login of a browser; its credential is in the cookie.", {
  loginId: text("The id of the login, by which the audit log names it."),
  expiresAt: timeOf("When the login ends unless it is used before."),
});

export const waysReply = object("LoginWays", "How a browser can log in.", {
  apiKey: Type.Boolean({ description: "With an API key. Always true." }),
  oidc: Type.Union(
    [
      object("LoginProvider", "The identity provider.", { name: text("Its host, as users know it.") }),
      Type.Null(),
    ],
    { description: "With the identity provider of the installation; null if none is configured." },
  ),
});
