import { parseExactJson } from '../../core/exact-json.js';
import { describeFailure, type HttpAnswer, type AdapterHttp } from '../../suppliers/adapter-http.js';
import { MERCHANT_WAIT_MS, type SlipReading } from '../channels/channel-adapter.js';
import { readSlip, type SlipReceiver } from './easyslip-answers.js';
import { miniQr, type MiniQr } from './mini-qr.js';

export interface EasySlipSettings {
  baseUrl: string;
  key: string;
  receiver: SlipReceiver;
}

/** The second version of EasySlip's API, which queries the sending bank about a slip. */
export class EasySlip {
  static readonly baseUrl = 'https://api.easyslip.com';

  constructor(private readonly http: AdapterHttp) {}

  /** Sends nothing but the slip: the vendor must neither compare amounts nor decide about duplicates. */
  async verify(settings: EasySlipSettings, slip: MiniQr): Promise<SlipReading> {
    try {
      const body = JSON.stringify({ payload: miniQr(slip) });
      return readSlip(await this.call(settings, 'POST', '/v2/verify/bank', body), slip, settings.receiver);
    } catch (error) {
      return { kind: 'unknown', detail: describeFailure(error) };
    }
  }

  /** Whether the vendor accepts our key from our address. */
  async isAccepted(settings: EasySlipSettings): Promise<boolean> {
    try {
      return (await this.call(settings, 'GET', '/v2/info')).status === 200;
    } catch {
      return false;
    }
  }

  private call(
    { baseUrl, key }: EasySlipSettings,
    method: 'GET' | 'POST',
    path: string,
    body?: string,
  ): Promise<HttpAnswer> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const request = { method, url: `${baseUrl}${path}`, headers, ...(body !== undefined && { body }) };
    return this.http.call({ ...request, timeoutMs: MERCHANT_WAIT_MS, parse: parseExactJson });
  }
}
