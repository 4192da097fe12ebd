import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { sameText, sendJson, sendText } from '../common/http.js';
import { balanceOf, listPurchases, listTopUps, processingResult, resultOf } from './answers.js';
import { behaviourOf, type Delivery, isUnknownProduct } from './behaviours.js';
import { atWallClock } from './clock.js';
import { badRequest, readJson, Refusal } from './http.js';
import type { Purchase, PurchaseBook } from './purchases.js';
import { parseTopUp, sameTopUp } from './top-up.js';

const NOT_JSON = '<html><body>It works!</body></html>';

/**
 * Answers the supplier protocol from `book`. With a `token`, `/v1/*` demands it as a bearer token. `/purchases`
 * never does: it is for tests and not part of the protocol.
 */
export function supplierProtocol(book: PurchaseBook, token: string | null): RequestListener {
  return (request, response) => {
    route(request, response, book, token).catch((error: unknown) => refuse(response, error));
  };
}

async function route(
  request: IncomingMessage,
  response: ServerResponse,
  book: PurchaseBook,
  token: string | null,
): Promise<void> {
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  if (token !== null && path.startsWith('/v1/')) demandToken(request, token);

  if (path === '/v1/top-ups' && request.method === 'GET') return list(request, response, book);
  if (path === '/v1/top-ups') {
    allowOnly('POST', request);
    return topUp(request, response, book);
  }
  const reference = /^\/v1\/top-ups\/([^/]+)$/.exec(path)?.[1];
  if (reference !== undefined) {
    allowOnly('GET', request);
    return inquire(response, book, decodeReference(reference));
  }
  if (path === '/v1/balance') {
    allowOnly('GET', request);
    return sendJson(response, 200, balanceOf(book));
  }
  if (path === '/purchases') {
    allowOnly('GET', request);
    return sendJson(response, 200, listPurchases(book));
  }
  // NOT_FOUND means that the reference was never seen. A wrong base URL must not claim that.
  throw new Refusal(404, 'ROUTE_NOT_FOUND', `There is nothing at ${path}.`);
}

async function topUp(request: IncomingMessage, response: ServerResponse, book: PurchaseBook): Promise<void> {
  const wanted = parseTopUp(await readJson(request));
  // No await from here on, so that only one of several simultaneous requests for a reference records it.
  const behaviour = behaviourOf(wanted.userId);
  if (behaviour.kind === 'lost') {
    response.destroy();
    return;
  }
  const known = book.find(wanted.reference);
  if (known !== undefined) return topUpAgain(response, book, known, sameTopUp(known, wanted));
  if (isUnknownProduct(wanted.sku)) {
    throw new Refusal(404, 'ITEM_NOT_FOUND', `The product ${wanted.sku} is unknown.`);
  }
  deliver(response, book, book.record(wanted, behaviour), behaviour.delivery);
}

/** A repeated request never waits and is never spoiled: its answer is the record. */
function topUpAgain(response: ServerResponse, book: PurchaseBook, purchase: Purchase, sameContent: boolean): void {
  book.receiveAgain(purchase);
  if (!sameContent) {
    throw new Refusal(422, 'REFERENCE_MISMATCH', 'The reference was used for a different top-up.');
  }
  sendResult(response, book, purchase);
}

function list(request: IncomingMessage, response: ServerResponse, book: PurchaseBook): void {
  const query = new URL(request.url ?? '', 'http://simulator').searchParams;
  const since = Date.parse(query.get('since') ?? '1970-01-01T00:00:00Z');
  const cursor = query.get('cursor') ?? '0';
  if (Number.isNaN(since)) throw badRequest('since must be a moment in ISO 8601.');
  if (!/^\d{1,12}$/.test(cursor)) throw badRequest('cursor must be a next_cursor of this list.');
  sendJson(response, 200, listTopUps(book, since, Number(cursor)));
}

function inquire(response: ServerResponse, book: PurchaseBook, reference: string): void {
  const purchase = book.find(reference);
  if (purchase === undefined) throw new Refusal(404, 'NOT_FOUND', 'The reference was never seen.');
  sendJson(response, 200, resultOf(book, purchase));
}

/** Answers the request that recorded a unit, as its behaviour says. */
function deliver(response: ServerResponse, book: PurchaseBook, purchase: Purchase, delivery: Delivery): void {
  switch (delivery) {
    case 'result':
      return sendResult(response, book, purchase);
    case 'processing':
      return sendJson(response, 202, processingResult(purchase));
    case 'wait':
      // The purchase does not depend on the connection: if the client goes, only the answer is cancelled.
      response.once(
        'close',
        atWallClock(purchase.settlesAtMs, () => sendResult(response, book, purchase)),
      );
      return;
    case 'close':
      response.destroy();
      return;
    case 'error':
      return sendJson(response, 500, { code: 'INTERNAL_ERROR', message: 'Something went wrong.' });
    case 'garbage':
      return sendText(response, 200, NOT_JSON);
  }
}

function sendResult(response: ServerResponse, book: PurchaseBook, purchase: Purchase): void {
  const result = resultOf(book, purchase);
  sendJson(response, result.status === 'processing' ? 202 : 200, result);
}

function demandToken(request: IncomingMessage, token: string): void {
  const presented = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  if (!sameText(presented, token)) {
    throw new Refusal(401, 'UNAUTHORIZED', 'Missing or wrong bearer token.', {
      'www-authenticate': 'Bearer',
    });
  }
}

function allowOnly(method: string, request: IncomingMessage): void {
  if (request.method !== method) {
    throw new Refusal(405, 'METHOD_NOT_ALLOWED', `Only ${method} is allowed here.`, { allow: method });
  }
}

function decodeReference(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw badRequest('The reference is not percent-encoded UTF-8.');
  }
}

function refuse(response: ServerResponse, error: unknown): void {
  if (error instanceof Refusal) {
    sendJson(response, error.status, { code: error.code, message: error.message }, error.headers);
    return;
  }
  // A client that disconnects in the middle of its request needs neither an answer nor a log line.
  if (response.destroyed) return;
  console.error('simulator: a request failed:', error);
  sendJson(response, 500, { code: 'INTERNAL_ERROR', message: 'Something went wrong.' });
}
