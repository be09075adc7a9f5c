import { object, text } from "@muster/wire/schema";
import { timeOf } from "./common.ts";

export const loginReply = object("Login", "The login of a browser; its credential is in the cookie.", {
  loginId: text("The id of the login, by which the audit log names it."),
  expiresAt: timeOf("When the login ends unless it is used before."),
});
