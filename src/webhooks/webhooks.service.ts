import { Injectable } from '@nestjs/common';
import { AppError, invalidValue, notFound } from '../core/errors.js';
import { withoutUndefined } from '../core/members.js';
import { SecretBox } from '../core/secret-box.js';
import { Database, type Transaction } from '../database/database.js';
import { ORDER_EVENT_KINDS } from '../events/event.entity.js';
import { WaitingDeliveriesService } from './waiting-deliveries.service.js';
import { WebhookDestinationsService } from './webhook-destinations.service.js';
import { generateSecret, secretHint } from './signature.js';
import type { CreatedWebhookDto, WebhookDto } from './webhook.dto.js';
import { webhookSecretPlace, type Webhook } from './webhook.entity.js';
import { toWebhookDto } from './webhook.mapper.js';
import type { CreateWebhookDto, UpdateWebhookDto } from './webhook-requests.dto.js';
import { WebhooksRepository, type Changes, type NewSecret } from './webhooks.repository.js';

const MAX_WEBHOOKS = 20;

/** A merchant's webhooks. For every method, webhooks of other merchants do not exist. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly database: Database,
    private readonly webhooks: WebhooksRepository,
    private readonly destinations: WebhookDestinationsService,
    private readonly waiting: WaitingDeliveriesService,
    private readonly secretBox: SecretBox,
  ) {}

  /** The webhooks in the order of registration. */
  async list(merchantId: number): Promise<WebhookDto[]> {
    return (await this.webhooks.list(merchantId)).map(toWebhookDto);
  }

  /** @throws NOT_FOUND */
  async get(merchantId: number, id: number): Promise<WebhookDto> {
    return toWebhookDto(known(await this.webhooks.find(merchantId, id)));
  }

  /**
   * Registers a webhook.
   * @returns the webhook, with its secret only if the service generated the secret.
   * @throws BAD_REQUEST for a forbidden URL, or if the merchant already has `MAX_WEBHOOKS` webhooks.
   */
  async create(merchantId: number, dto: CreateWebhookDto): Promise<CreatedWebhookDto> {
    await this.destinations.assertPermitted(dto.url);
    const secret = dto.secret ?? generateSecret();
    const fields = {
      url: dto.url,
      events: dto.events ?? [...ORDER_EVENT_KINDS],
      ...this.sealed(secret),
      ...withoutUndefined({
        max_retries: dto.max_retries ?? undefined,
        retry_delay: dto.retry_delay ?? undefined,
        include_deliveries: dto.include_deliveries ?? undefined,
      }),
    };
    const webhook = await this.database.transaction(async (tx) => {
      // The lock serializes a merchant's registrations. Otherwise two concurrent ones could both become the twentieth webhook.
      if ((await this.webhooks.lockCount(tx, merchantId)) >= MAX_WEBHOOKS) throw tooMany();
      return toWebhookDto(await this.webhooks.insert(tx, merchantId, fields));
    });
    return dto.secret === undefined || dto.secret === null ? { ...webhook, secret } : webhook;
  }

  /**
   * Changes only the members that the request has.
   * @throws NOT_FOUND; BAD_REQUEST for a forbidden URL, or an overlap without a new secret; SERVICE_UNAVAILABLE if the request
   * would activate the webhook while its deliveries are still being cancelled.
   */
  async update(merchantId: number, id: number, dto: UpdateWebhookDto): Promise<WebhookDto> {
    if (dto.rotation_overlap !== undefined && dto.secret === undefined) throw overlapWithoutSecret();
    const before = await this.get(merchantId, id);
    if (dto.url !== undefined) await this.destinations.assertPermitted(dto.url);
    const changes = this.toChanges(dto);
    if (!changes) return before;
    const change = (): Promise<Webhook | null> =>
      this.database.transaction((tx) => this.change(tx, merchantId, id, dto, changes));
    // Waiting deliveries of an inactive webhook must be cancelled first: its deactivation may have been interrupted.
    let webhook = before.status === 'inactive' && dto.status === 'active' ? null : await change();
    while (!webhook) {
      if (!(await this.waiting.begin(id))) throw stillCancelling();
      webhook = await change();
    }
    if (changes.waitingIsStale) await this.waiting.begin(id);
    return toWebhookDto(webhook);
  }

  /** Deletes a webhook and cancels its waiting deliveries. The log of its deliveries stays. @throws NOT_FOUND */
  async delete(merchantId: number, id: number): Promise<void> {
    await this.database.transaction(async (tx) => {
      if (!(await this.webhooks.delete(tx, merchantId, id))) throw notFound('webhook');
    });
    await this.waiting.begin(id);
  }

  /**
   * Decides by what it reads under the webhook's lock. So concurrent changes have the effect of one after the other.
   * @returns null if the request would activate the webhook although its deliveries are not cancelled yet.
   * @throws NOT_FOUND
   */
  private async change(
    tx: Transaction,
    merchantId: number,
    id: number,
    dto: UpdateWebhookDto,
    changes: Changes,
  ): Promise<Webhook | null> {
    const locked = await this.webhooks.lockForChange(tx, merchantId, id);
    if (!locked) throw notFound('webhook');
    if (dto.status === 'active' && locked.status === 'inactive' && locked.waiting_is_stale) return null;
    const isRepeated = changes.rotation !== undefined && this.isRepeated(locked.secret_sealed, id, dto);
    await this.webhooks.change(tx, merchantId, id, isRepeated ? { ...changes, rotation: undefined } : changes);
    return this.webhooks.find(merchantId, id, tx);
  }

  /**
   * Whether a request with an overlap has the webhook's present secret, as a repetition after a lost answer has. Rotating again
   * would overwrite the previous secret, and so end the overlap. A secret that cannot be opened counts as different.
   */
  private isRepeated(sealed: Buffer, id: number, dto: UpdateWebhookDto): boolean {
    if (!dto.rotation_overlap) return false;
    try {
      return this.secretBox.open(sealed, webhookSecretPlace(id)) === dto.secret;
    } catch {
      return false;
    }
  }

  /** @returns null if the request has no member to change. */
  private toChanges(dto: UpdateWebhookDto): Changes | null {
    const { url, status, events, max_retries, retry_delay, include_deliveries, secret } = dto;
    const settings = withoutUndefined({ url, status, events, max_retries, retry_delay, include_deliveries });
    if (secret === undefined && Object.keys(settings).length === 0) return null;
    return {
      settings,
      rotation:
        secret === undefined ? undefined : { ...this.sealed(secret), overlapSeconds: dto.rotation_overlap ?? 0 },
      waitingIsStale: status === 'inactive' || retry_delay !== undefined,
    };
  }

  private sealed(secret: string): NewSecret {
    return { secret_sealed: this.secretBox.sealUnbound(secret), secret_hint: secretHint(secret) };
  }
}

/** @throws NOT_FOUND */
function known(webhook: Webhook | null): Webhook {
  if (!webhook) throw notFound('webhook');
  return webhook;
}

function tooMany(): AppError {
  return new AppError('BAD_REQUEST', `A merchant can have at most ${MAX_WEBHOOKS} webhooks`);
}

function stillCancelling(): AppError {
  const message = 'Deliveries of this webhook are still being cancelled, please try again';
  return new AppError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 2 });
}

function overlapWithoutSecret(): AppError {
  return invalidValue('rotation_overlap', 'rotation_overlap is only for a request with a new secret');
}
