import { eventBody } from '../../src/events/event-log.js';
import { toOrderDto } from '../../src/orders/order.mapper.js';
import type { DeliveryAttemptInput, DeliveryInput, EventInput } from './demo-history.sql.js';
import { PROCESS, type WrittenOrder } from './demo-rows.js';
import { demoId } from './demo-shops.js';

/** How a receiver answered, attempt after attempt. */
type Answer = { status: number; ms: number } | { error: 'timeout' | 'connect'; ms: number };

const FINE: Answer = { status: 200, ms: 140 };
const AWAY: Answer = { status: 503, ms: 90 };
const BROKEN: Answer = { status: 500, ms: 210 };
const SILENT: Answer = { error: 'timeout', ms: 10_000 };
/** The retry schedule of the webhooks: the time from the end of an attempt to the next. */
const RETRY_DELAY_MS = 60_000;

/** Most deliveries are accepted at once, some after retries, and a few never. */
function answersOf(index: number): Answer[] {
  if (index % 47 === 30) return [BROKEN, BROKEN, SILENT, BROKEN];
  if (index % 17 === 6) return index % 2 === 0 ? [AWAY, FINE] : [SILENT, AWAY, FINE];
  return [FINE];
}

export interface DemoDelivery {
  event: EventInput;
  status: 'succeeded' | 'failed';
  attempts: { answer: Answer; startedAt: Date }[];
}

/** The events of the ended orders, oldest first, with their deliveries. */
export function demoDeliveries(orders: readonly WrittenOrder[], now: Date): DemoDelivery[] {
  return orders
    .filter(({ outcome }) => outcome !== null)
    .sort((one, other) => one.order.updated_at.getTime() - other.order.updated_at.getTime())
    .map(({ order, items }, index) => {
      const { merchant_id, order_number, reference_id, updated_at: at } = order;
      const kind = `order.${order.status}`;
      const id = demoId('evt_', 22, at, `event ${reference_id}`);
      const body = eventBody(id, kind, at, toOrderDto(order, items));
      // No delivery is still under way.
      const isOver = at.getTime() < now.getTime() - 10 * RETRY_DELAY_MS;
      const answers = isOver ? answersOf(index) : [FINE];
      const isTaken = answers.some((answer) => 'status' in answer && answer.status < 300);
      return {
        event: { public_id: id, merchant_id, kind, order_number, reference_id, body, created_at: at },
        status: isTaken ? 'succeeded' : 'failed',
        attempts: attemptsOf(answers, at),
      };
    });
}

function attemptsOf(answers: Answer[], at: Date): DemoDelivery['attempts'] {
  let startedAt = new Date(at.getTime() + 25);
  return answers.map((answer) => {
    const attempt = { answer, startedAt };
    startedAt = new Date(startedAt.getTime() + answer.ms + RETRY_DELAY_MS);
    return attempt;
  });
}

export function toDeliveryInput({ event, status, attempts }: DemoDelivery): DeliveryInput {
  const last = attempts.at(-1);
  const endedAt = last ? new Date(last.startedAt.getTime() + last.answer.ms) : event.created_at;
  return {
    public_id: event.public_id,
    status,
    attempt_count: attempts.length,
    process: PROCESS,
    attempt_ended_at: endedAt,
  };
}

export const toDeliveryAttemptInputs = ({ event, attempts }: DemoDelivery): DeliveryAttemptInput[] =>
  attempts.map(({ answer, startedAt }, index) => ({
    public_id: event.public_id,
    number: index + 1,
    started_at: startedAt,
    duration_ms: answer.ms,
    ...('status' in answer
      ? { response_status: answer.status, error: null, response_body: answer.status < 300 ? 'ok' : '' }
      : { response_status: null, error: answer.error, response_body: null }),
  }));

/** The result under which metrics count an attempt. */
export const resultOf = ({ answer }: DemoDelivery['attempts'][number]): string =>
  'status' in answer ? `${Math.floor(answer.status / 100)}xx` : answer.error;
