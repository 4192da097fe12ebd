import { Endpoints, Hooks, type DeliveryDetail, type WebhookBody } from '../webhooks/support.js';
import { startScene, type Scene } from './scene.js';

/** A service with a console, and a merchant's receiver on a real socket. */
export interface WebhookScene extends Scene {
  endpoints: Endpoints;
  hooks: Hooks;
  /** A webhook whose receiver gives this answer, and an ended delivery to it. */
  delivered(
    statuses: number[],
    ends: 'succeeded' | 'failed',
  ): Promise<{ webhook: WebhookBody; delivery: DeliveryDetail }>;
}

/** @param options of the console. */
export async function startWebhookScene(options: { pagesFrom?: string } = {}): Promise<WebhookScene> {
  const scene = await startScene({}, options);
  const endpoints = await new Endpoints().listen();
  const hooks = new Hooks(scene.merchant);
  return {
    ...scene,
    endpoints,
    hooks,
    async delivered(statuses, ends) {
      const webhook = await hooks.register(endpoints.answering(...statuses), { max_retries: 0 });
      await scene.stack.order(scene.merchant, [{ sku: scene.sku }], 'player-12345');
      return { webhook, delivery: await hooks.newestIs(webhook.id, ends) };
    },
    async close() {
      await scene.close();
      await endpoints.close();
    },
  };
}
