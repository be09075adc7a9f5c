// The shop's service, which pays refunds: node examples/refund-desk/service.mjs
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const { REFUND_SECRET = "", PORT = "4100" } = process.env;
if (!REFUND_SECRET.startsWith("whsec_")) {
  console.error("Set REFUND_SECRET to the secret that Muster has shown for this host.");
  process.exit(1);
}
const key = Buffer.from(REFUND_SECRET.slice("whsec_".length), "base64");
/** The answers by call, so that a call that arrives twice pays once. */
const paid = new Map();

createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures = "",
  } = request.headers;
  const expected = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest();
  const isSigned = signatures.split(" ").some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ""), "base64");
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  const isRecent = Math.abs(Date.now() / 1_000 - Number(timestamp)) < 300;
  const answer = (status, value) => response.writeHead(status).end(JSON.stringify(value));
  if (!isSigned || !isRecent) return answer(401, { message: "The signature is not valid." });
  const { orderId, amount } = JSON.parse(body).args;
  if (!(amount > 0)) return answer(422, { message: "The amount must be more than 0." });
  if (!paid.has(id)) {
    paid.set(id, { refund: `rf_${paid.size + 1}`, orderId, amount });
    console.log(`Paid ${amount} euros back for order ${orderId}.`);
  }
  return answer(200, paid.get(id));
})
  .listen(Number(PORT), "127.0.0.1")
  .on("listening", function () {
    console.log(`Refunds at http://127.0.0.1:${this.address().port}/refunds`);
  });
