import { parseSignedMicros } from '../../core/cost-money.js';
import { isDay } from '../../core/moments.js';
import { storable } from '../../core/text.js';
import { failure, isUnitFailureCode, type UnitFailureCode } from '../../core/failures.js';
import type { Unavailable, SupplierBalance } from '../supplier-adapter.js';
import { askedWait, type HttpAnswer } from '../supplier-http.js';
import type { Delivery, Refusal, SupplierOutcome } from '../supplier-outcome.js';

type Body = Partial<Record<string, unknown>>;

/** What the answer to `POST /v1/top-ups` means. What the protocol does not list means unknown. */
export function readSendAnswer(answer: HttpAnswer, reference: string): SupplierOutcome {
  const { status } = answer;
  const body = asObject(answer.body);
  switch (status) {
    case 200:
    case 201:
      return readState(body, reference);
    case 202: {
      const outcome = readState(body, reference);
      return outcome.kind === 'processing' ? outcome : contradictory(status);
    }
    case 400:
    case 422:
      return contradicts(body, reference) ? contradictory(status) : refusal(body);
    case 404:
      if (body?.code !== 'ITEM_NOT_FOUND' || contradicts(body, reference)) return contradictory(status);
      return refused('ITEM_NOT_FOUND', body.message);
    case 401:
    case 403:
      return { ...notAccepted(answer), fault: 'credentials' };
    case 408:
    case 425:
    case 429:
      return notAccepted(answer);
    default:
      return unknown(answer);
  }
}

/** What the answer to `GET /v1/top-ups/{reference}` means. */
export function readInquiryAnswer(answer: HttpAnswer, reference: string): SupplierOutcome {
  const body = asObject(answer.body);
  if (answer.status === 200) return readState(body, reference);
  if (answer.status === 404 && body?.code === 'NOT_FOUND' && !contradicts(body, reference))
    return { kind: 'never_seen' };
  return unknown(answer);
}

/** How a supplier answers that tells no balances. */
const HAS_NO_SUCH_PAGE = [404, 405, 410, 501];

/** What the answer to `GET /v1/balance` means. A supplier that sells on credit may write a negative one. */
export function readBalanceAnswer(answer: HttpAnswer): SupplierBalance {
  const { balance, currency } = asObject(answer.body) ?? {};
  if (answer.status !== 200) {
    const reached = HAS_NO_SUCH_PAGE.includes(answer.status);
    return { known: false, detail: `HTTP ${answer.status}`, reached, ...faultOf(answer) };
  }
  const micros = typeof balance === 'string' ? parseSignedMicros(balance) : null;
  if (micros === null || typeof currency !== 'string') {
    return { known: false, detail: 'the answer names no balance and currency', reached: true };
  }
  return { known: true, amount: { micros, currency: storable(currency, 16) } };
}

function faultOf({ status }: HttpAnswer): Pick<Unavailable, 'fault'> {
  if (status === 401 || status === 403) return { fault: 'credentials' };
  return status === 429 ? { fault: 'rate' } : {};
}

function readState(body: Body | undefined, reference: string): SupplierOutcome {
  if (!body) return { kind: 'unknown', detail: 'the answer is not a JSON object' };
  if (body.reference !== reference)
    return { kind: 'unknown', detail: 'the answer is about another reference' };
  const { status, supplier_reference: supplierReference } = body;
  const hasFailure = isPresent(body.failure_code);
  const named = typeof supplierReference === 'string' ? storable(supplierReference, 255) : null;
  if (status === 'succeeded' && !hasFailure)
    return { kind: 'succeeded', supplierReference: named, ...deliveriesIn(body) };
  if (status === 'failed') return refusal(body);
  if (status === 'processing' && !hasFailure)
    return { kind: 'processing', ...(named === null ? {} : { supplierReference: named }) };
  return { kind: 'unknown', detail: 'the answer contradicts itself' };
}

/** What was handed over, as far as it can be read. */
function deliveriesIn({ deliveries }: Body): { deliveries?: Delivery[] } {
  if (!Array.isArray(deliveries)) return {};
  const objects = deliveries.map(asObject).filter((each) => each !== undefined);
  return {
    deliveries: objects.map(({ serial, code, expires_on: expiresOn }) => ({
      serial: typeof serial === 'string' ? serial : null,
      code: typeof code === 'string' ? code : null,
      expiresOn: typeof expiresOn === 'string' && isDay(expiresOn) ? expiresOn : null,
    })),
  };
}

function refusal(body: Body | undefined): SupplierOutcome {
  const code: UnitFailureCode = isUnitFailureCode(body?.failure_code)
    ? body.failure_code
    : 'SUPPLIER_REJECTED';
  return refused(code, body?.failure_message ?? body?.message);
}

/** What is wrong with the player, every other supplier would say too. */
const ABOUT_THE_PLAYER: readonly UnitFailureCode[] = [
  'INVALID_PLAYER',
  'INVALID_SERVER',
  'PLAYER_NOT_ELIGIBLE',
];

const refused = (code: UnitFailureCode, message: unknown): Refusal => ({
  kind: 'failed',
  ...failure(code, message),
  failover: !ABOUT_THE_PLAYER.includes(code),
});

/** A refusal whose body speaks of another unit, or of one that was not refused. */
function contradicts(body: Body | undefined, reference: string): boolean {
  if (!body) return false;
  return (
    (isPresent(body.reference) && body.reference !== reference) ||
    ['succeeded', 'processing'].includes(body.status as string)
  );
}

const contradictory = (status: number): SupplierOutcome => ({
  kind: 'unknown',
  detail: `HTTP ${status} with an unfitting body`,
});

const unknown = (answer: HttpAnswer): SupplierOutcome => ({
  kind: 'unknown',
  detail: `HTTP ${answer.status}`,
  ...askedWait(answer),
});

const notAccepted = (answer: HttpAnswer): Extract<SupplierOutcome, { kind: 'not_accepted' }> => ({
  kind: 'not_accepted',
  detail: `HTTP ${answer.status}`,
  ...askedWait(answer),
});

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

const asObject = (value: unknown): Body | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
