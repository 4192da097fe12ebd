import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, EntityManager, IsNull } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity.js';
import { AppError, invalidRequest, notFound } from '../core/errors.js';
import { SecretBox } from '../core/secret-box.js';
import { ORDER_EVENT_KINDS } from '../events/event.entity.js';
import { WaitingDeliveries } from './waiting-deliveries.js';
import { WebhookDestinations } from './webhook-destinations.js';
import { toWebhookDto, type CreatedWebhookDto, type WebhookDto } from './webhook.dto.js';
import { Webhook } from './webhook.entity.js';
import type { CreateWebhookDto, UpdateWebhookDto } from './webhook-requests.dto.js';
import { generateSecret, secretHint } from './webhook-secret.js';

const MAX_WEBHOOKS = 20;

type Changes = QueryDeepPartialEntity<Webhook>;

/** A merchant's registrations. Every method takes the merchant: another one's webhook is unknown. */
@Injectable()
export class WebhooksService {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly destinations: WebhookDestinations,
    private readonly waiting: WaitingDeliveries,
    private readonly secretBox: SecretBox,
  ) {}

  /** In the order in which they were registered. */
  async list(merchantId: number): Promise<WebhookDto[]> {
    const where = { merchant_id: merchantId, deleted_at: IsNull() };
    return (await this.dataSource.manager.find(Webhook, { where, order: { id: 'ASC' } })).map(toWebhookDto);
  }

  /** @throws NOT_FOUND */
  async get(merchantId: number, id: number): Promise<WebhookDto> {
    return toWebhookDto(await find(this.dataSource.manager, merchantId, id));
  }

  /**
   * Registers a webhook.
   * @returns it, with the secret only if that was generated.
   * @throws BAD_REQUEST for a URL that leads where it may not, or one webhook too many.
   */
  async create(merchantId: number, dto: CreateWebhookDto): Promise<CreatedWebhookDto> {
    await this.destinations.assertPermitted(dto.url);
    const secret = dto.secret ?? generateSecret();
    const fields: Changes = {
      merchant_id: merchantId,
      url: dto.url,
      events: dto.events ?? [...ORDER_EVENT_KINDS],
      secret_sealed: this.secretBox.seal(secret),
      secret_hint: secretHint(secret),
      ...defined({ max_retries: dto.max_retries ?? undefined, retry_delay: dto.retry_delay ?? undefined }),
    };
    const id = await this.dataSource.transaction(async (manager) => {
      // Registrations of one merchant take turns, or two of them could both be the twentieth.
      await manager.query('SELECT FROM merchants WHERE id = $1 FOR NO KEY UPDATE', [merchantId]);
      const count = await manager.countBy(Webhook, { merchant_id: merchantId, deleted_at: IsNull() });
      if (count >= MAX_WEBHOOKS) throw tooMany();
      const { identifiers } = await manager.insert(Webhook, fields);
      return Number(identifiers[0]?.id);
    });
    const webhook = await this.get(merchantId, id);
    return dto.secret === undefined || dto.secret === null ? { ...webhook, secret } : webhook;
  }

  /**
   * Changes what the request names, nothing else. An empty request changes nothing at all.
   * @throws NOT_FOUND; BAD_REQUEST for a URL that leads where it may not, or an overlap without a new secret;
   * SERVICE_UNAVAILABLE for one that is to be active again while its deliveries are still being cancelled.
   */
  async update(merchantId: number, id: number, dto: UpdateWebhookDto): Promise<WebhookDto> {
    if (dto.rotation_overlap !== undefined && dto.secret === undefined) throw overlapWithoutSecret();
    const before = await this.get(merchantId, id);
    if (dto.url !== undefined) await this.destinations.assertPermitted(dto.url);
    const changes = this.toChanges(dto);
    if (Object.keys(changes).length === 0) return before;
    // What an interrupted deactivation left waiting must not come back to life with the webhook.
    if (before.status === 'inactive' && dto.status === 'active' && !(await this.waiting.begin(id)))
      throw stillCancelling();
    const webhook = await this.dataSource.transaction(async (manager) => {
      await change(manager, merchantId, id, changes);
      return find(manager, merchantId, id);
    });
    if (changes.waiting_is_stale === true) await this.waiting.begin(id);
    return toWebhookDto(webhook);
  }

  /** Ends a webhook and its waiting deliveries; their log stays. @throws NOT_FOUND */
  async delete(merchantId: number, id: number): Promise<void> {
    await change(this.dataSource.manager, merchantId, id, {
      deleted_at: () => 'statement_timestamp()',
      waiting_is_stale: true,
    });
    await this.waiting.begin(id);
  }

  private toChanges(dto: UpdateWebhookDto): Changes {
    const { url, status, events, max_retries, retry_delay } = dto;
    const waiting_is_stale = status === 'inactive' || retry_delay !== undefined ? true : undefined;
    const changes: Changes = defined({ url, status, events, max_retries, retry_delay, waiting_is_stale });
    return dto.secret === undefined
      ? changes
      : { ...changes, ...this.rotation(dto.secret, dto.rotation_overlap ?? 0) };
  }

  /** A new secret; with an overlap, the one that it replaces goes on signing beside it for that many seconds. */
  private rotation(secret: string, overlapSeconds: number): Changes {
    const expiry = `statement_timestamp() + interval '${overlapSeconds} seconds'`;
    return {
      secret_sealed: this.secretBox.seal(secret),
      secret_hint: secretHint(secret),
      previous_secret_sealed: overlapSeconds > 0 ? () => 'secret_sealed' : null,
      previous_secret_expires_at: overlapSeconds > 0 ? () => expiry : null,
    };
  }
}

/** Only the members that have a value. */
const defined = (members: Changes): Changes =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));

async function find(manager: EntityManager, merchantId: number, id: number): Promise<Webhook> {
  const webhook = await manager.findOneBy(Webhook, { id, merchant_id: merchantId, deleted_at: IsNull() });
  if (!webhook) throw notFound('webhook');
  return webhook;
}

async function change(
  manager: EntityManager,
  merchantId: number,
  id: number,
  changes: Changes,
): Promise<void> {
  // Two changes in one millisecond, or a clock set back, still move it forward.
  const updated_at = (): string => `greatest(statement_timestamp(), updated_at + interval '1 millisecond')`;
  const where = { id, merchant_id: merchantId, deleted_at: IsNull() };
  const { affected } = await manager.update(Webhook, where, { ...changes, updated_at });
  if (affected !== 1) throw notFound('webhook');
}

function tooMany(): AppError {
  return new AppError('BAD_REQUEST', `A merchant can have at most ${MAX_WEBHOOKS} webhooks`);
}

function stillCancelling(): AppError {
  const message = 'Deliveries of this webhook are still being cancelled, please try again';
  return new AppError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 2 });
}

function overlapWithoutSecret(): AppError {
  const message = 'rotation_overlap is only for a request with a new secret';
  return invalidRequest([{ field: 'rotation_overlap', code: 'INVALID_VALUE', message }]);
}
