import type { FastifyReply } from "fastify";

/** Sends text that is already JSON. A string with a JSON content type bypasses the serialiser. */
export function sendJsonText(reply: FastifyReply, text: string): void {
  reply.type("application/json; charset=utf-8").send(text);
}
