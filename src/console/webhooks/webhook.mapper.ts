import { pick } from '../../core/members.js';
import { checkedMoment } from '../../core/moments.js';
import type {
  ListedDelivery,
  ListedDeliveryDetail,
  DeliveryListFilter,
  WebhookRow,
} from '../../webhooks/webhook-listing.repository.js';
import type { DeliveredEvent } from '../../events/event.entity.js';
import type { DeliveryStatus } from '../../webhooks/delivery.entity.js';
import type { AttemptRow } from '../../webhooks/deliveries.repository.js';
import { toAttempts } from '../../webhooks/webhook.mapper.js';
import type { Permission } from '../../operators/roles.js';
import {
  isTooShortToMask,
  maskOf,
  masked,
  holdsAny,
  maskedAddress,
  type Mask,
  type Viewer,
} from '../../support/masking.js';
import { merchantOf } from '../orders/order.mapper.js';
import type { DeliveryFilterDto } from './webhook-queries.dto.js';
import type {
  ConsoleAttemptDto,
  ConsoleDeliveryDetailDto,
  ConsoleDeliveryDto,
  ConsoleWebhookDetailDto,
  ConsoleWebhookDto,
} from './webhook.dto.js';
import { idsOf, valuesOf } from '../filters.js';

export const toConsoleWebhookDto = (webhook: WebhookRow, viewer: Viewer): ConsoleWebhookDto => ({
  ...pick(webhook, 'id', 'events', 'status', 'last_success_at', 'failing_since', 'waiting'),
  url: maskedAddress(webhook.url, viewer),
  merchant: merchantOf(webhook),
  day: pick(webhook, 'succeeded', 'ended'),
});

export const toConsoleWebhookDetailDto = (webhook: WebhookRow, viewer: Viewer): ConsoleWebhookDetailDto => ({
  ...toConsoleWebhookDto(webhook, viewer),
  ...pick(webhook, 'secret_hint', 'previous_secret_expires_at', 'max_retries', 'retry_delay', 'include_deliveries'),
  ...pick(webhook, 'created_at', 'updated_at', 'deleted_at'),
});

export const toConsoleDeliveryDto = (delivery: ListedDelivery, viewer: Viewer): ConsoleDeliveryDto => ({
  ...pick(delivery, 'event_id', 'event', 'order_number', 'status', 'in_flight', 'attempt_count'),
  ...pick(delivery, 'created_at', 'updated_at'),
  reference_id: maySeeData(delivery, viewer) ? delivery.reference_id : null,
  id: Number(delivery.id),
  webhook: { id: delivery.webhook_id, url: maskedAddress(delivery.url, viewer) },
  merchant: merchantOf(delivery),
  next_attempt_at: delivery.due_at,
  last_attempt:
    delivery.duration_ms === null
      ? null
      : { response_status: delivery.response_status, error: delivery.error, duration_ms: delivery.duration_ms },
});

export function toConsoleDeliveryDetailDto(
  { attempts, ...delivery }: ListedDeliveryDetail & { attempts: AttemptRow[] },
  viewer: Viewer,
): ConsoleDeliveryDetailDto {
  const body = JSON.parse(delivery.body) as EventBody;
  const isHidden = secretsIn(delivery, body, viewer);
  return {
    ...toConsoleDeliveryDto(delivery, viewer),
    body: maySeeData(delivery, viewer) ? withoutPlayer(body, viewer) : { ...body, data: null },
    attempts: attempts.flatMap(toAttempts).map((attempt) => hideAnswer(attempt, isHidden)),
  };
}

export const toDeliveryFilter = ({
  merchant,
  webhook,
  status,
  event,
  from,
}: DeliveryFilterDto): DeliveryListFilter => ({
  statuses: valuesOf<DeliveryStatus>(status),
  events: valuesOf<DeliveredEvent>(event),
  merchantIds: idsOf(merchant),
  webhookId: webhook === undefined ? undefined : Number(webhook),
  from: from === undefined ? undefined : checkedMoment(from),
});

interface EventBody extends Record<string, unknown> {
  data: Record<string, unknown> | null;
}

/** The permission that the data of an event needs. */
const PERMISSION_OF = {
  'order.completed': 'orders.read',
  'order.failed': 'orders.read',
  'wallet.low_balance': 'wallets.read',
  'deposit.paid': 'deposits.read',
  'deposit.expired': 'deposits.read',
  'webhook.test': 'webhooks.read',
} as const satisfies Record<DeliveredEvent, Permission>;

const maySeeData = ({ event }: Pick<ListedDelivery, 'event'>, viewer: Viewer): boolean =>
  viewer.may(PERMISSION_OF[event]);

/** The members of an event's data that name the player. */
const PLAYER = ['user_id', 'server_id', 'character_id'] as const;

const playerIn = ({ data }: EventBody): [name: string, value: string][] =>
  PLAYER.flatMap((name) => {
    const value = data?.[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });

/**
 * The merchant's own texts, which are often about the buyer. Leaves out short texts such as `1`, because most answers
 * have them by chance.
 */
const metadataIn = ({ data }: EventBody): string[] =>
  Object.values((data?.metadata ?? {}) as Record<string, string>).filter((text) => !isTooShortToMask(text));

function withoutPlayer(body: EventBody, viewer: Viewer): EventBody {
  if (viewer.may('players.read')) return body;
  const player = playerIn(body);
  const maskedPlayer = Object.fromEntries(player.map(([name, value]) => [name, masked(value, viewer)]));
  const named = { user_id: '', server_id: null, character_id: null, ...Object.fromEntries(player) };
  const { metadata: _oftenOfTheBuyer, ...data } = body.data ?? {};
  return { ...body, data: { ...(withoutNames(data, maskOf(named, viewer)) as object), ...maskedPlayer } };
}

/** Masks the player in the suppliers' messages, at any depth of an event's data. */
function withoutNames(data: unknown, mask: Mask): unknown {
  if (Array.isArray(data)) return data.map((each) => withoutNames(each, mask));
  if (typeof data !== 'object' || data === null) return data;
  const entries = Object.entries(data).map(([name, value]) => [
    name,
    name === 'failure_message' ? mask(value as string | null) : withoutNames(value, mask),
  ]);
  return Object.fromEntries(entries);
}

/** Whether a receiver's answer may repeat what the viewer may not see: codes, the data of the event, the player or the metadata. */
function secretsIn(delivery: ListedDeliveryDetail, body: EventBody, viewer: Viewer): (answer: string) => boolean {
  const mayNotSeeCodes = delivery.include_deliveries && !viewer.may('codes.reveal');
  if (mayNotSeeCodes || !maySeeData(delivery, viewer)) return () => true;
  if (viewer.may('players.read')) return () => false;
  return holdsAny([...playerIn(body).map(([, value]) => value), ...metadataIn(body)]);
}

const hideAnswer = (
  attempt: Omit<ConsoleAttemptDto, 'is_hidden'>,
  isSecret: (answer: string) => boolean,
): ConsoleAttemptDto => {
  const { response_body: answer } = attempt;
  const isHidden = answer !== null && answer !== '' && isSecret(answer);
  return { ...attempt, response_body: isHidden ? null : answer, is_hidden: isHidden };
};
