import { readMoment } from '../../core/moments.js';
import type {
  ListedDelivery,
  ListedDeliveryDetail,
  DeliveryListFilter,
  WebhookRow,
} from '../../webhooks/webhook-listing.repository.js';
import type { AttemptRow } from '../../webhooks/deliveries.repository.js';
import { toAttempts } from '../../webhooks/webhook.mapper.js';
import { censorOf, hidden, holdsAny, type Censor, type Viewer } from '../orders/players.js';
import { shownAddress } from './webhook-address.js';
import type { DeliveryFilterDto } from './webhook-queries.dto.js';
import type {
  ConsoleAttemptDto,
  ConsoleDeliveryDetailDto,
  ConsoleDeliveryDto,
  ConsoleWebhookDetailDto,
  ConsoleWebhookDto,
} from './webhook.dto.js';

const moment = (at: Date | null): string | null => at?.toISOString() ?? null;

export const toConsoleWebhookDto = (webhook: WebhookRow, viewer: Viewer): ConsoleWebhookDto => ({
  id: webhook.id,
  url: shownAddress(webhook.url, viewer),
  merchant: { id: webhook.merchant_id, name: webhook.merchant_name },
  events: webhook.events,
  status: webhook.status,
  last_success_at: moment(webhook.last_success_at),
  failing_since: moment(webhook.failing_since),
  waiting: webhook.waiting,
  day: { succeeded: webhook.succeeded, ended: webhook.ended },
});

export const toConsoleWebhookDetailDto = (webhook: WebhookRow, viewer: Viewer): ConsoleWebhookDetailDto => ({
  ...toConsoleWebhookDto(webhook, viewer),
  secret_hint: webhook.secret_hint,
  previous_secret_expires_at: moment(webhook.previous_secret_expires_at),
  max_retries: webhook.max_retries,
  retry_delay: webhook.retry_delay,
  include_deliveries: webhook.include_deliveries,
  created_at: webhook.created_at.toISOString(),
  updated_at: webhook.updated_at.toISOString(),
  deleted_at: moment(webhook.deleted_at),
});

export const toConsoleDeliveryDto = (delivery: ListedDelivery, viewer: Viewer): ConsoleDeliveryDto => ({
  id: Number(delivery.id),
  webhook: { id: delivery.webhook_id, url: shownAddress(delivery.url, viewer) },
  merchant: { id: delivery.merchant_id, name: delivery.merchant_name },
  event_id: delivery.event_id,
  event: delivery.event,
  order_number: delivery.order_number,
  reference_id: delivery.reference_id,
  status: delivery.status,
  in_flight: delivery.in_flight,
  attempt_count: delivery.attempt_count,
  next_attempt_at: moment(delivery.due_at),
  last_attempt:
    delivery.duration_ms === null
      ? null
      : { response_status: delivery.response_status, error: delivery.error, duration_ms: delivery.duration_ms },
  created_at: delivery.created_at.toISOString(),
  updated_at: delivery.updated_at.toISOString(),
});

export function toConsoleDeliveryDetailDto(
  { attempts, ...delivery }: ListedDeliveryDetail & { attempts: AttemptRow[] },
  viewer: Viewer,
): ConsoleDeliveryDetailDto {
  const body = JSON.parse(delivery.body) as EventBody;
  const isHidden = secretsIn(delivery, body, viewer);
  return {
    ...toConsoleDeliveryDto(delivery, viewer),
    body: withoutPlayer(body, viewer),
    attempts: attempts.flatMap(toAttempts).map((attempt) => hideAnswer(attempt, isHidden)),
  };
}

export const toDeliveryFilter = ({ merchant, webhook, from, ...filter }: DeliveryFilterDto): DeliveryListFilter => ({
  ...filter,
  merchantId: merchant === undefined ? undefined : Number(merchant),
  webhookId: webhook === undefined ? undefined : Number(webhook),
  from: from === undefined ? undefined : (readMoment(from) ?? undefined),
});

interface EventBody extends Record<string, unknown> {
  data?: Record<string, unknown>;
}

/** The members of an event's data that name the player. */
const PLAYER = ['user_id', 'server_id', 'character_id'] as const;

const playerIn = ({ data = {} }: EventBody): [name: string, value: string][] =>
  PLAYER.flatMap((name) => {
    const value = data[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });

function withoutPlayer(body: EventBody, viewer: Viewer): EventBody {
  const player = playerIn(body);
  if (viewer.may('players.read') || player.length === 0) return body;
  const cut = Object.fromEntries(player.map(([name, value]) => [name, hidden(value, viewer)]));
  const named = { user_id: '', server_id: null, character_id: null, ...Object.fromEntries(player) };
  const { metadata: _oftenOfTheBuyer, ...data } = body.data ?? {};
  return { ...body, data: { ...(withoutNames(data, censorOf(named, viewer)) as object), ...cut } };
}

/** Masks the player in the suppliers' messages, at any depth of an event's data. */
function withoutNames(data: unknown, censor: Censor): unknown {
  if (Array.isArray(data)) return data.map((each) => withoutNames(each, censor));
  if (typeof data !== 'object' || data === null) return data;
  const entries = Object.entries(data).map(([name, value]) => [
    name,
    name === 'failure_message' ? censor(value as string | null) : withoutNames(value, censor),
  ]);
  return Object.fromEntries(entries);
}

/** Whether a receiver's answer may repeat codes or the player that the viewer may not see. */
function secretsIn(
  { include_deliveries: receivesCodes }: ListedDeliveryDetail,
  body: EventBody,
  viewer: Viewer,
): (answer: string) => boolean {
  const mayNotSeeCodes = receivesCodes && !viewer.may('codes.reveal');
  const player = viewer.may('players.read') ? [] : playerIn(body).map(([, value]) => value);
  const holdsPlayer = holdsAny(player);
  return (answer) => mayNotSeeCodes || holdsPlayer(answer);
}

const hideAnswer = (
  attempt: Omit<ConsoleAttemptDto, 'is_hidden'>,
  isSecret: (answer: string) => boolean,
): ConsoleAttemptDto => {
  const { response_body: answer } = attempt;
  const isHidden = answer !== null && answer !== '' && isSecret(answer);
  return { ...attempt, response_body: isHidden ? null : answer, is_hidden: isHidden };
};
