// A shop: POST /buy { "reference": "sale-1", "sku": "MLBB-86", "player": "123456789", "server": "2001" } orders the top-up,
// waits for the webhook with the result, and delivers or pays back.
//   TOPUP_URL=http://127.0.0.1:3000 TOPUP_API_KEY=… SHOP_URL=http://127.0.0.1:8080 node express-shop.ts
// with Node.js 22.18 or newer; older ones run it as `npx tsx express-shop.ts`.
import express from 'express';
import { ApiError, Topup, WebhookVerifier, type Order } from 'order-topup-sdk';

const { TOPUP_URL = '', TOPUP_API_KEY = '', SHOP_URL = '', PORT = '8080' } = process.env;
const topup = new Topup({ baseUrl: TOPUP_URL, apiKey: TOPUP_API_KEY });

// A real shop stores both: the secret with its other secrets, the sales in its database.
const secret = `whsec_${btoa(crypto.randomUUID())}`;
const sales = new Map<string, (order: Order) => void>();
const verifier = new WebhookVerifier(secret);
const app = express();

app.post('/webhooks/topup', express.raw({ type: () => true }), async (request, response) => {
  const event = await verifier.verify(request.body as Buffer, request.headers).catch(() => null);
  response.sendStatus(event === null ? 400 : 204);
  if (event?.event !== 'order.completed' && event?.event !== 'order.failed') return;
  // An event can arrive twice: the first one ends the sale.
  sales.get(event.data.reference_id)?.(event.data);
  sales.delete(event.data.reference_id);
});

interface Sale {
  reference: string;
  sku: string;
  player: string;
  server?: string;
}

app.post('/buy', express.json(), async (request, response) => {
  const { reference, sku, player, server } = request.body as Sale;
  // The shop waits before it orders, because the webhook may arrive before the answer.
  const ended = new Promise<Order>((resolve) => sales.set(reference, resolve));
  try {
    await topup.orders.create({
      reference_id: reference,
      user_id: player,
      server_id: server ?? null,
      items: [{ sku }],
    });
  } catch (error) {
    sales.delete(reference);
    if (!(error instanceof ApiError)) throw error;
    response.status(409).json({ result: 'refused', why: error.message, request: error.requestId });
    return;
  }
  const order = await ended;
  if (order.status === 'completed') response.json({ result: 'delivered', price: order.total_amount });
  else response.json({ result: 'paid back', why: order.failure_message });
});

await new Promise<void>((resolve) => void app.listen(Number(PORT), () => resolve()));
await topup.webhooks.create({ url: `${SHOP_URL}/webhooks/topup`, secret });
console.log('The shop is open');
