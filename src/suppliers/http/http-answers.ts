import { parseSignedMicros } from '../../core/cost-money.js';
import { isDay, readMoment } from '../../core/moments.js';
import { storable } from '../../core/text.js';
import { failure, isUnitFailureCode, type UnitFailureCode } from '../../core/failures.js';
import { usualPlayer } from '../player-template.js';
import type { Attempt, ListedPurchase, PurchasesReading, SupplierBalance, Unavailable } from '../supplier-adapter.js';
import { requestedWait, type HttpAnswer } from '../adapter-http.js';
import type { UnitDelivery, Refusal, SupplierOutcome } from '../supplier-outcome.js';
import { amountOf, nameOf } from '../adapter-answers.js';

type Body = Partial<Record<string, unknown>>;

/**
 * The outcome of an answer to `POST /v1/top-ups`: `unknown` for any answer that the protocol does not list. A refusal of a repeat
 * says nothing about the first send, because a supplier may check its stock before it looks up the reference. So such a refusal
 * must be confirmed: it counts only if an inquiry then does not find the reference, and a further send is refused again.
 */
export function readSendAnswer(
  answer: HttpAnswer,
  { reference, isRepeat }: Pick<Attempt, 'reference' | 'isRepeat'>,
): SupplierOutcome {
  const outcome = readAnswer(answer, reference);
  return isRepeat && outcome.kind === 'failed' ? { ...outcome, confirm: true } : outcome;
}

function readAnswer(answer: HttpAnswer, reference: string): SupplierOutcome {
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

/** The outcome of an answer to `GET /v1/top-ups/{reference}`. */
export function readInquiryAnswer(answer: HttpAnswer, reference: string): SupplierOutcome {
  const body = asObject(answer.body);
  if (answer.status === 200) return readState(body, reference);
  if (answer.status === 404 && body?.code === 'NOT_FOUND' && !contradicts(body, reference))
    return { kind: 'never_seen' };
  return unknown(answer);
}

/** The HTTP statuses of suppliers that lack an optional part of the protocol. */
const HAS_NO_SUCH_PAGE = [404, 405, 410, 501];

/** A supplier without a list may treat the request as an inquiry with an invalid reference, and then answers 400 or 422. */
const HAS_NO_LIST = [...HAS_NO_SUCH_PAGE, 400, 422];

/**
 * Reads a page of purchases from an answer to `GET /v1/top-ups`; null if the supplier has no such list.
 * @param isFirst whether the request was for the first page. A supplier that returned a first page has a list.
 */
export function readPurchasesAnswer(answer: HttpAnswer, isFirst: boolean): PurchasesReading | null {
  if (isFirst && HAS_NO_LIST.includes(answer.status)) return null;
  if (answer.status !== 200)
    return { known: false, detail: `HTTP ${answer.status}`, offersNone: false, ...faultOf(answer) };
  const { data, next_cursor: next = null } = asObject(answer.body) ?? {};
  if (!Array.isArray(data) || !(next === null || (typeof next === 'string' && next !== '')))
    return { known: false, detail: 'the list of purchases can’t be read', offersNone: true };
  const purchases = data.map(readListed).filter((purchase) => purchase !== null);
  const references = data.filter((entry) => readListed(entry) === null).map(supplierReferenceOf);
  const unreadableReference = references.find((reference) => reference !== null) ?? null;
  return { known: true, purchases, unreadable: data.length - purchases.length, unreadableReference, next };
}

/**
 * Reads an entry of the list; null if it has no reference of ours that can be stored. The supplier's reference alone does not show
 * whose purchase it is: we may not know yet that one of our attempts has that reference.
 */
function readListed(entry: unknown): ListedPurchase | null {
  const body = asObject(entry);
  const reference = nameOf(body?.reference) ?? null;
  const supplierReference = nameOf(body?.supplier_reference) ?? null;
  if (!body || reference === null) return null;
  const { status, created_at: createdAt, cost, currency } = body;
  const [user, server] = [nameOf(body.user_id), nameOf(body.server_id)];
  return {
    reference,
    supplierReference,
    sku: nameOf(body.sku) ?? null,
    state: status === 'succeeded' || status === 'failed' || status === 'processing' ? status : null,
    player: user === undefined ? null : usualPlayer({ userId: user, serverId: server ?? null, characterId: null }),
    boughtAt: typeof createdAt === 'string' ? readMoment(createdAt) : null,
    cost: typeof currency === 'string' ? amountOf(cost, storable(currency, 16)) : null,
  };
}

const supplierReferenceOf = (entry: unknown): string | null => nameOf(asObject(entry)?.supplier_reference) ?? null;

/** Reads our balance from an answer to `GET /v1/balance`. A supplier that sells on credit may report a negative balance. */
export function readBalanceAnswer(answer: HttpAnswer): SupplierBalance {
  const { balance, currency } = asObject(answer.body) ?? {};
  if (answer.status !== 200) {
    const offersNone = HAS_NO_SUCH_PAGE.includes(answer.status);
    return { known: false, detail: `HTTP ${answer.status}`, offersNone, ...faultOf(answer) };
  }
  const micros = typeof balance === 'string' ? parseSignedMicros(balance) : null;
  if (micros === null || typeof currency !== 'string') {
    return { known: false, detail: 'the answer names no balance and currency', offersNone: true };
  }
  return { known: true, amount: { micros, currency: storable(currency, 16) } };
}

function faultOf({ status }: HttpAnswer): Pick<Unavailable, 'fault'> {
  if (status === 401 || status === 403) return { fault: 'credentials' };
  return status === 429 ? { fault: 'rate' } : {};
}

function readState(body: Body | undefined, reference: string): SupplierOutcome {
  if (!body) return { kind: 'unknown', detail: 'the answer is not a JSON object' };
  if (body.reference !== reference) return { kind: 'unknown', detail: 'the answer is about another reference' };
  const { status, supplier_reference: supplierReference } = body;
  const hasFailure = isPresent(body.failure_code);
  const storableReference = typeof supplierReference === 'string' ? storable(supplierReference, 255) : null;
  if (status === 'succeeded' && !hasFailure)
    return { kind: 'succeeded', supplierReference: storableReference, ...deliveriesIn(body) };
  if (status === 'failed') return refusal(body);
  if (status === 'processing' && !hasFailure)
    return { kind: 'processing', ...(storableReference === null ? {} : { supplierReference: storableReference }) };
  return { kind: 'unknown', detail: 'the answer contradicts itself' };
}

/** The readable deliveries. */
function deliveriesIn({ deliveries }: Body): { deliveries?: UnitDelivery[] } {
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
  const { failure_code: reported } = body ?? {};
  // To a merchant, CANCELLED_BY_OPERATOR means that our operator decided.
  const isKnown = isUnitFailureCode(reported) && reported !== 'CANCELLED_BY_OPERATOR';
  return refused(isKnown ? reported : 'SUPPLIER_REJECTED', body?.failure_message ?? body?.message);
}

/** The codes of refusals that every other supplier would repeat. */
const ABOUT_THE_PLAYER: readonly UnitFailureCode[] = ['INVALID_PLAYER', 'INVALID_SERVER', 'PLAYER_NOT_ELIGIBLE'];

const refused = (code: UnitFailureCode, message: unknown): Refusal => ({
  kind: 'failed',
  ...failure(code, message),
  failover: !ABOUT_THE_PLAYER.includes(code),
});

/** Whether the body of a refusal is about another reference, or says that the unit was not refused. */
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
  ...requestedWait(answer),
});

const notAccepted = (answer: HttpAnswer): Extract<SupplierOutcome, { kind: 'not_accepted' }> => ({
  kind: 'not_accepted',
  detail: `HTTP ${answer.status}`,
  ...requestedWait(answer),
});

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

const asObject = (value: unknown): Body | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
