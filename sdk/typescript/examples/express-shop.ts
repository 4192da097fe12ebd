// A shop: POST /buy { "reference": "sale-1", "sku": "MLBB-86", "player": "123456789", "server": "2001" } orders the top-up,
// waits for the webhook with the result, and delivers or pays back.
//   TOPUP_URL=http://127.0.0.1:3000 TOPUP_API_KEY=… SHOP_URL=http://127.0.0.1:8080 node express-shop.ts
// with Node.js 22.18 or newer; older ones run it as `npx tsx express-shop.ts`.
import express from 'express';
import { Topup, WebhookVerifier, type ApiError, type Order } from 'order-topup-sdk';

const { TOPUP_URL = '', TOPUP_API_KEY = '', SHOP_URL = '', PORT = '8080' } = process.env;
const topup = new Topup({ baseUrl: TOPUP_URL, apiKey: TOPUP_API_KEY });

class Sale {
  end!: (order: Order) => void;
  readonly ended = new Promise<Order>((resolve) => (this.end = resolve));
}

// A real shop stores both: the secret with its other secrets, the sales in its database.
const secret = `whsec_${btoa(crypto.randomUUID())}`;
const sales = new Map<string, Sale>();
const verifier = new WebhookVerifier(secret);
const app = express();

/** An event can arrive twice: the first one ends the sale. */
function end(order: Order): void {
  sales.get(order.reference_id)?.end(order);
  sales.delete(order.reference_id);
}

app.post('/webhooks/topup', express.raw({ type: () => true }), async (request, response) => {
  const event = await verifier.verify(request.body as Buffer, request.headers).catch(() => null);
  response.sendStatus(event === null ? 400 : 204);
  if (event?.event === 'order.completed' || event?.event === 'order.failed') end(event.data);
});

app.post('/buy', express.json(), async (request, response) => {
  const { reference = '', sku = '', player = '', server } = request.body as Record<string, string>;
  // The sale is there before the order, because the webhook may arrive before the answer.
  const known = sales.get(reference);
  const sale = known ?? new Sale();
  sales.set(reference, sale);
  try {
    const order = { reference_id: reference, user_id: player, server_id: server ?? null, items: [{ sku }] };
    const placed = await topup.orders.create(order);
    // Ordered before, and ended since then: no webhook may come any more.
    if (placed.status === 'completed' || placed.status === 'failed') end(placed);
  } catch (error) {
    // A refusal ends the sale. After any other error the order may exist: the sale stays open, and /buy may be repeated.
    const { status = 500, isInsufficientBalance, message: why, requestId: request } = error as Partial<ApiError>;
    const isRefused = isInsufficientBalance || (status < 500 && status !== 408 && status !== 429);
    if (isRefused && !known) sales.delete(reference);
    response.status(isRefused ? 409 : 202).json({ result: isRefused ? 'refused' : 'not known yet', why, request });
    return;
  }
  const order = await sale.ended;
  if (order.status === 'completed') response.json({ result: 'delivered', price: order.total_amount });
  else response.json({ result: 'paid back', why: order.failure_message });
});

await new Promise<void>((resolve) => void app.listen(Number(PORT), () => resolve()));
await topup.webhooks.create({ url: `${SHOP_URL}/webhooks/topup`, secret });
console.log('The shop is open');
