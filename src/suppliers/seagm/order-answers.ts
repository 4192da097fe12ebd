import { failure } from '../../core/failures.js';
import { isDay } from '../../core/moments.js';
import type { Attempt, NamedAttempt } from '../supplier-adapter.js';
import type { HttpAnswer } from '../adapter-http.js';
import type { UnitDelivery, SupplierOutcome } from '../supplier-outcome.js';
import { asList, asMembers, isGiven, isOther, nameOf, shownText, textOf, type Members } from '../adapter-answers.js';
import type { OrderKind } from './order-request.js';
import {
  answerInWords,
  dataOf,
  faultOf,
  infoCodeOf,
  isGood,
  isNotFound,
  isServersError,
  messageOf,
  moneyOf,
} from './seagm-data.js';

/** The only documented refusal of an order: the type does not exist. */
const NO_SUCH_TYPE = '20077';

/**
 * The outcome of an answer to an order. The supplier does not document the effect of a repeated `mch_order_id`, so a refusal of a
 * repeat says nothing about the first send: an inquiry must confirm it. After an undocumented error, the supplier may have sold the
 * unit.
 */
export function readOrderAnswer(answer: HttpAnswer, kind: OrderKind, attempt: Attempt): SupplierOutcome {
  if (isGood(answer)) return readGood(answer, kind, attempt);
  const reported = faultOf(answer);
  const detail = answerInWords(answer);
  if (reported.fault) return { kind: attempt.isRepeat ? 'unknown' : 'not_accepted', detail, ...reported };
  if (!isServersError(answer) && infoCodeOf(answer) === NO_SUCH_TYPE) {
    const message = `${messageOf(answer) || 'the supplier does not know the product'} (${NO_SUCH_TYPE})`;
    return {
      kind: 'failed',
      ...failure('ITEM_NOT_FOUND', message),
      failover: true,
      ...(attempt.isRepeat && { confirm: true }),
    };
  }
  return { kind: 'unknown', detail, ...reported };
}

/** The outcome of an answer to an inquiry by our reference. */
export function readInquiry(answer: HttpAnswer, kind: OrderKind, attempt: NamedAttempt): SupplierOutcome {
  if (isGood(answer)) return readGood(answer, kind, attempt);
  if (isNotFound(answer)) return { kind: 'never_seen' };
  return { kind: 'unknown', detail: answerInWords(answer), ...faultOf(answer) };
}

function readGood(answer: HttpAnswer, kind: OrderKind, attempt: NamedAttempt): SupplierOutcome {
  const data = asMembers(dataOf(answer));
  if (!data) return { kind: 'unknown', detail: answerInWords(answer) };
  return readOrder(data, kind, attempt);
}

/** The outcome that an answer or a proven callback reports for its order. */
export function readOrder(data: Members, kind: OrderKind, attempt: NamedAttempt): SupplierOutcome {
  if (isOther(data.mch_order_id, attempt.reference)) return COLLISION;
  const outcome = readState(data, kind);
  const supplierReference = nameOf(data.id);
  if (isOther(data.id, attempt.supplierReference)) {
    const isSold = outcome.kind === 'succeeded' || outcome.kind === 'processing';
    if (!isSold || supplierReference === undefined || !isGiven(data.mch_order_id)) return COLLISION;
    const cost = outcome.cost && { cost: outcome.cost };
    const deliveries = outcome.kind === 'succeeded' && outcome.deliveries && { deliveries: outcome.deliveries };
    return { ...COLLISION, besides: { supplierReference, ...cost, ...deliveries } };
  }
  return supplierReference === undefined ? outcome : { ...outcome, supplierReference };
}

const COLLISION = {
  kind: 'unknown',
  detail: 'reference collision: the answer is about another order',
} as const;

type Read = Exclude<SupplierOutcome, { kind: 'not_accepted' | 'never_seen' }>;

function readState(data: Members, kind: OrderKind): Read {
  const cost = moneyOf(data.pay_amount, data.currency);
  const reported = cost ? { cost } : {};
  // An answer that already contains the cards has no state. Such an order is done.
  const hasCards = kind === 'card' && !isGiven(data.status_code) && deliveriesOf(data).length > 0;
  switch (hasCards ? '10003' : (textOf(data.status_code) ?? '')) {
    case '10001':
    case '10002':
      return { kind: 'processing', ...reported };
    case '10003': {
      const deliveries = deliveriesOf(data);
      // A card without its PIN is still on its way, and so is an order with a delivered amount of 0.
      if (kind === 'card' && deliveries.length === 0) return { kind: 'processing', ...reported };
      if (isGiven(data.send_amount) && textOf(data.send_amount) === '0') return { kind: 'processing', ...reported };
      return {
        kind: 'succeeded',
        supplierReference: null,
        ...reported,
        ...(deliveries.length > 0 && { deliveries }),
      };
    }
    case '10004':
    case '10005':
      return {
        kind: 'failed',
        ...failure('SUPPLIER_REJECTED', shownText(data.refunded_reason)),
        failover: true,
      };
    default:
      return { kind: 'unknown', detail: 'the status of the order is not known' };
  }
}

function deliveriesOf({ cards }: Members): UnitDelivery[] {
  return asList(cards).flatMap((each) => {
    const card = asMembers(each);
    const code = textOf(card?.pin)?.trim() ?? '';
    const serial = textOf(card?.sn)?.trim() || null;
    return code === '' ? [] : [{ serial, code, expiresOn: dateOf(card?.expired) }];
  });
}

/** The day of a date, or of a time in Unix seconds, in UTC. Null for anything else. */
function dateOf(member: unknown): string | null {
  const text = textOf(member) ?? '';
  const [day] = /^\d{4}-\d{2}-\d{2}/.exec(text) ?? [];
  if (day !== undefined) return isDay(day) ? day : null;
  return /^[1-9]\d{8,10}$/.test(text) ? new Date(Number(text) * 1_000).toISOString().slice(0, 10) : null;
}
