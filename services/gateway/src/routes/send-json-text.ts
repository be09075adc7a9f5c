import type { FastifyReply } from "fastify";

/** Sends text that is JSON already. A string with a JSON content type passes the serialiser by. */
export function sendJsonText(reply: FastifyReply, text: string): void {
  reply.type("application/json; charset=utf-8").send(text);
}
