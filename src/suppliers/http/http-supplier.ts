import type { AdapterDescription } from '../adapter-description.js';
import type {
  Attempt,
  PurchaseList,
  PurchasesReading,
  ReadingInquiry,
  StoredSettings,
  SupplierAdapter,
  SupplierBalance,
} from '../supplier-adapter.js';
import { unreachable } from '../vendor-answers.js';
import { describeFailure, wasNeverSent, type HttpAnswer, type SupplierHttp } from '../supplier-http.js';
import type { SupplierOutcome } from '../supplier-outcome.js';
import { readBalanceAnswer, readInquiryAnswer, readPurchasesAnswer, readSendAnswer } from './http-answers.js';

export interface HttpSettings {
  baseUrl: string;
  /** A bearer token, where the supplier has one. */
  token: string | null;
  timeoutMs: number;
}

/** The supplier protocol over HTTP: JSON, a bearer token where the supplier has one. */
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
        help: 'Bearer token, where the supplier wants one',
        // It travels in a header, which can carry visible ASCII only.
        problemOf: (token) => (/^[\x21-\x7e]+$/.test(token) ? null : 'must be visible ASCII characters without spaces'),
      },
    ],
    options: [],
    capabilities: ['deduplication', 'inquiry', 'balance', 'purchases'],
    references: 'unit',
    // The protocol says to try later, and not every supplier of it tells balances.
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
    ask: (settings, { reference }) => this.inquire(settings, reference),
  };

  readonly purchases: PurchaseList<HttpSettings> = {
    read: (settings, since, page) => this.list(settings, since, page),
  };

  constructor(private readonly http: SupplierHttp) {}

  readSettings({ baseUrl, credentials, timeoutMs }: StoredSettings): HttpSettings {
    return { baseUrl, token: credentials.token ?? null, timeoutMs };
  }

  async send(settings: HttpSettings, attempt: Attempt): Promise<SupplierOutcome> {
    const body = JSON.stringify({
      reference: attempt.reference,
      sku: attempt.sku,
      user_id: attempt.userId,
      server_id: attempt.serverId,
      character_id: attempt.characterId,
    });
    try {
      return readSendAnswer(await this.call(settings, 'POST', '/v1/top-ups', body), attempt);
    } catch (error) {
      const detail = describeFailure(error);
      return wasNeverSent(error) ? { kind: 'not_accepted', detail } : { kind: 'unknown', detail };
    }
  }

  async balance(settings: HttpSettings): Promise<SupplierBalance> {
    try {
      return readBalanceAnswer(await this.call(settings, 'GET', '/v1/balance'));
    } catch (error) {
      return { known: false, detail: describeFailure(error), reached: false };
    }
  }

  private async inquire(settings: HttpSettings, reference: string): Promise<SupplierOutcome> {
    try {
      const path = `/v1/top-ups/${encodeURIComponent(reference)}`;
      return readInquiryAnswer(await this.call(settings, 'GET', path), reference);
    } catch (error) {
      return { kind: 'unknown', detail: describeFailure(error) };
    }
  }

  private async list(settings: HttpSettings, since: Date, page: string | null): Promise<PurchasesReading | null> {
    const query = new URLSearchParams({ since: since.toISOString(), ...(page !== null && { cursor: page }) });
    try {
      const answer = await this.call(settings, 'GET', `/v1/top-ups?${query.toString()}`);
      return readPurchasesAnswer(answer, page === null);
    } catch (error) {
      return unreachable(error);
    }
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
