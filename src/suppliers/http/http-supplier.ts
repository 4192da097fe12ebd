import { AppError } from '../../core/errors.js';
import type { StoredSettings, SupplierAdapter, SupplierBalance, TopUp } from '../supplier-adapter.js';
import { describeFailure, wasNeverSent, type HttpAnswer, type SupplierHttp } from '../supplier-http.js';
import type { SupplierOutcome } from '../supplier-outcome.js';
import { readBalanceAnswer, readInquiryAnswer, readSendAnswer } from './http-answers.js';

export interface HttpSettings {
  baseUrl: string;
  /** A bearer token, where the supplier has one. */
  token: string | null;
  timeoutMs: number;
}

/** The supplier protocol over HTTP: JSON, a bearer token where the supplier has one. */
export class HttpSupplier implements SupplierAdapter<HttpSettings> {
  static readonly adapter = 'http';

  readonly deduplicates = true;

  constructor(private readonly http: SupplierHttp) {}

  readSettings({ baseUrl, token, timeoutMs }: StoredSettings): HttpSettings {
    // A token travels in a header, which can carry visible ASCII only.
    if (token !== null && !/^[\x21-\x7e]{1,4096}$/.test(token)) {
      throw new AppError(
        'BAD_REQUEST',
        'the token must be 1 to 4096 visible ASCII characters without spaces',
      );
    }
    return { baseUrl, token, timeoutMs };
  }

  async send(settings: HttpSettings, topUp: TopUp): Promise<SupplierOutcome> {
    const body = JSON.stringify({
      reference: topUp.reference,
      sku: topUp.sku,
      user_id: topUp.userId,
      server_id: topUp.serverId,
      character_id: topUp.characterId,
    });
    try {
      return readSendAnswer(await this.call(settings, 'POST', '/v1/top-ups', body), topUp.reference);
    } catch (error) {
      const detail = describeFailure(error);
      return wasNeverSent(error) ? { kind: 'not_accepted', detail } : { kind: 'unknown', detail };
    }
  }

  async inquire(settings: HttpSettings, reference: string): Promise<SupplierOutcome> {
    try {
      const path = `/v1/top-ups/${encodeURIComponent(reference)}`;
      return readInquiryAnswer(await this.call(settings, 'GET', path), reference);
    } catch (error) {
      return { kind: 'unknown', detail: describeFailure(error) };
    }
  }

  async balance(settings: HttpSettings): Promise<SupplierBalance> {
    try {
      return readBalanceAnswer(await this.call(settings, 'GET', '/v1/balance'));
    } catch (error) {
      return { known: false, detail: describeFailure(error), reached: false };
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
