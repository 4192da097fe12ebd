// A shop that uses only interfaces of the web. Each runtime can serve it unchanged: its default export has `fetch`.
import { ApiError, isEvent, Topup, TopupError, WebhookVerificationError, WebhookVerifier } from 'order-topup-sdk';

/** The settings that each request for calls passes to the shop. */
export interface Settings {
  baseUrl: string;
  /** The key of a sandbox merchant. */
  apiKey: string;
  sku: string;
  /** The prefix of the references of its orders. */
  reference: string;
}

const sold: string[] = [];
let verifier: WebhookVerifier | undefined;

async function receive(request: Request, secret: string): Promise<Response> {
  verifier ??= new WebhookVerifier(secret);
  try {
    const event = await verifier.verify(await request.text(), request.headers);
    if (isEvent(event, 'order.completed')) sold.push(event.data.reference_id);
    return new Response(null, { status: 204 });
  } catch (error) {
    if (error instanceof WebhookVerificationError) return new Response(error.reason, { status: 400 });
    throw error;
  }
}

/** Makes one call of each kind. @returns their results. */
async function call({ baseUrl, apiKey, sku, reference }: Settings): Promise<object> {
  const topup = new Topup({ baseUrl, apiKey });
  const buy = (number: number, userId: string): ReturnType<typeof topup.orders.createAndWait> =>
    topup.orders.createAndWait(
      { reference_id: `${reference}/${number}`, user_id: userId, items: [{ sku }] },
      { signal: AbortSignal.timeout(600_000) },
    );
  const orders = [await buy(1, 'player-1'), await buy(2, 'player-2'), await buy(3, 'sim-fail-out_of_stock')];
  const listed = [];
  for await (const order of topup.orders.list({ limit: 2 })) listed.push(order.reference_id);
  const nobody = new Topup({ baseUrl: 'http://127.0.0.1:1', apiKey, maxRetries: 0 });
  return {
    orders: orders.map(({ status, failure_code }) => [status, failure_code]),
    listed,
    refused: await thrownBy(topup.products.get('NONE')),
    unauthorized: await thrownBy(new Topup({ baseUrl, apiKey: 'none' }).wallet.get()),
    unreachable: await thrownBy(nobody.wallet.get()),
    aborted: await thrownBy(topup.wallet.get({ signal: AbortSignal.abort(new TypeError('enough')) })),
  };
}

const thrownBy = (calling: Promise<unknown>): Promise<string> =>
  calling.then(
    () => 'nothing',
    (error: Error) =>
      `${error.name}${error instanceof TopupError ? ' of the SDK' : ''}${error instanceof ApiError ? ` ${error.status} ${error.code}` : ''}`,
  );

export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/webhooks') return receive(request, searchParams.get('secret') ?? '');
    if (pathname === '/sold') return Response.json(sold);
    return Response.json(await call((await request.json()) as Settings));
  },
};
