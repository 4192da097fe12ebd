import type { AdapterDescription } from '../adapter-description.js';
import type {
  Attempt,
  PurchaseList,
  ReadingInquiry,
  StoredSettings,
  SupplierAdapter,
  SupplierBalance,
} from '../supplier-adapter.js';
import { callAndRead, inquireAndRead, requestAndRead } from '../adapter-answers.js';
import { describeFailure, wasNeverSent, type HttpAnswer, type AdapterHttp } from '../adapter-http.js';
import type { SupplierOutcome } from '../supplier-outcome.js';
import { readBalanceAnswer, readInquiryAnswer, readPurchasesAnswer, readSendAnswer } from './http-answers.js';

export interface HttpSettings {
  baseUrl: string;
  /** A bearer token; null if the supplier needs none. */
  token: string | null;
  timeoutMs: number;
}

/** The supplier protocol over HTTP, in JSON. */
export class HttpSupplier implements SupplierAdapter<HttpSettings> {
  static readonly description: AdapterDescription = {
    adapter: 'http',
    name: 'Supplier protocol over HTTP',
    credentials: [
      {
        name: 'token',
        secret: true,
        required: false,
        isAccount: true,
        help: 'Bearer token, if the supplier requires one',
        // The header `Authorization` carries it after a space.
        problemOf: (token) => (/^[\x21-\x7e]+$/.test(token) ? null : 'must be visible ASCII characters without spaces'),
      },
    ],
    options: [],
    references: 'unit',
    // By the protocol, workers send the unit again later. A pause might never end: only a reported balance ends it, and not every
    // supplier of this protocol reports one.
    isPausedByFaults: false,
    baseUrl: null,
    currency: null,
  };

  readonly deduplicates = true;

  readonly inquiry: ReadingInquiry<HttpSettings> = {
    mayBuy: false,
    firstMs: 2_000,
    minGapMs: 0,
    maxAgeMs: null,
    query: (settings, { reference }) => this.inquire(settings, reference),
  };

  readonly purchases: PurchaseList<HttpSettings> = {
    read: (settings, since, page) => {
      const query = new URLSearchParams({ since: since.toISOString(), ...(page !== null && { cursor: page }) });
      return requestAndRead(
        () => this.call(settings, 'GET', `/v1/top-ups?${query.toString()}`),
        (answer) => readPurchasesAnswer(answer, page === null),
      );
    },
  };

  constructor(private readonly http: AdapterHttp) {}

  readSettings({ baseUrl, credentials, timeoutMs }: StoredSettings): HttpSettings {
    return { baseUrl, token: credentials.token ?? null, timeoutMs };
  }

  send(settings: HttpSettings, attempt: Attempt): Promise<SupplierOutcome> {
    const body = JSON.stringify({
      reference: attempt.reference,
      sku: attempt.sku,
      user_id: attempt.userId,
      server_id: attempt.serverId,
      character_id: attempt.characterId,
    });
    return callAndRead(
      () => this.call(settings, 'POST', '/v1/top-ups', body),
      (answer) => readSendAnswer(answer, attempt),
      // By the protocol, a send that did not leave is not accepted, even if it is a repeat. `sendAndRead` would return
      // `unknown` for a repeat.
      (error) => ({ kind: wasNeverSent(error) ? 'not_accepted' : 'unknown', detail: describeFailure(error) }),
    );
  }

  balance(settings: HttpSettings): Promise<SupplierBalance> {
    return requestAndRead(() => this.call(settings, 'GET', '/v1/balance'), readBalanceAnswer);
  }

  private inquire(settings: HttpSettings, reference: string): Promise<SupplierOutcome> {
    return inquireAndRead(
      () => this.call(settings, 'GET', `/v1/top-ups/${encodeURIComponent(reference)}`),
      (answer) => readInquiryAnswer(answer, reference),
    );
  }

  private call(
    { baseUrl, token, timeoutMs }: HttpSettings,
    method: 'GET' | 'POST',
    path: string,
    body?: string,
  ): Promise<HttpAnswer> {
    const headers = {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    };
    return this.http.call({ method, url: baseUrl + path, headers, body, timeoutMs });
  }
}
