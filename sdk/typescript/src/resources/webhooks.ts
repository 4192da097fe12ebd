import { List, type Page } from '../list.js';
import type { CallOptions, Transport } from '../transport.js';
import type {
  CreatedWebhook,
  Delivery,
  DeliveryDetail,
  DeliveryQuery,
  NewWebhook,
  Webhook,
  WebhookChanges,
} from '../types.js';

const PATH = '/v1/merchant-webhooks';

/** What is registered, and what was delivered. `WebhookVerifier` verifies what arrives. */
export class Webhooks {
  constructor(private readonly transport: Transport) {}

  /** All of them; there are at most 20. */
  list(options?: CallOptions): Promise<Webhook[]> {
    return this.transport.get(PATH, {}, options);
  }

  /** Without a `secret` one is generated: keep it, this answer alone has it. */
  create(webhook: NewWebhook, options?: CallOptions): Promise<CreatedWebhook> {
    return this.once('POST', PATH, webhook, options);
  }

  get(id: number, options?: CallOptions): Promise<Webhook> {
    return this.transport.get(`${PATH}/${id}`, {}, options);
  }

  /** Only what is given changes. A `secret` replaced twice would lose the `rotation_overlap`, so it is not repeated. */
  update(id: number, changes: WebhookChanges, options?: CallOptions): Promise<Webhook> {
    return this.once('PATCH', `${PATH}/${id}`, changes, options);
  }

  async delete(id: number, options?: CallOptions): Promise<void> {
    await this.once('DELETE', `${PATH}/${id}`, undefined, options);
  }

  /** Newest first. */
  deliveries(id: number, query: DeliveryQuery = {}, options?: CallOptions): List<Delivery> {
    return new List((cursor) =>
      this.transport.get<Page<Delivery>>(`${PATH}/${id}/deliveries`, { ...query, cursor }, options),
    );
  }

  /** With its attempts. */
  delivery(id: number, deliveryId: number, options?: CallOptions): Promise<DeliveryDetail> {
    return this.transport.get(`${PATH}/${id}/deliveries/${deliveryId}`, {}, options);
  }

  /** One more attempt at once. @throws ApiError 409 while one is in flight, or the webhook is inactive */
  retry(id: number, deliveryId: number, options?: CallOptions): Promise<Delivery> {
    return this.once('POST', `${PATH}/${id}/deliveries/${deliveryId}/retry`, undefined, options);
  }

  /** One signed `webhook.test`. */
  test(id: number, options?: CallOptions): Promise<Delivery> {
    return this.once('POST', `${PATH}/${id}/test`, undefined, options);
  }

  private once<Body>(
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body: unknown,
    options?: CallOptions,
  ): Promise<Body> {
    return this.transport.send({ method, path, body, isRepeatable: false }, options);
  }
}
