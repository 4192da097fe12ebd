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

/** Registrations and deliveries. `WebhookVerifier` verifies the deliveries that you receive. */
export class Webhooks {
  constructor(private readonly transport: Transport) {}

  /** All webhooks, at most 20. */
  list(options?: CallOptions): Promise<Webhook[]> {
    return this.transport.get(PATH, {}, options);
  }

  /** Without a `secret`, the service generates one. Store it: only this answer contains it. */
  create(webhook: NewWebhook, options?: CallOptions): Promise<CreatedWebhook> {
    return this.once('POST', PATH, webhook, options);
  }

  get(id: number, options?: CallOptions): Promise<Webhook> {
    return this.transport.get(`${PATH}/${id}`, {}, options);
  }

  /** Changes only the given members. It is not retried: a late repetition could undo what was changed since. */
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

  /** A delivery with its attempts. */
  delivery(id: number, deliveryId: number, options?: CallOptions): Promise<DeliveryDetail> {
    return this.transport.get(`${PATH}/${id}/deliveries/${deliveryId}`, {}, options);
  }

  /** Attempts the delivery once more, at once. @throws ApiError 409 while one is in flight, or the webhook is inactive */
  retry(id: number, deliveryId: number, options?: CallOptions): Promise<Delivery> {
    return this.once('POST', `${PATH}/${id}/deliveries/${deliveryId}/retry`, undefined, options);
  }

  /** Sends a signed `webhook.test`. */
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
