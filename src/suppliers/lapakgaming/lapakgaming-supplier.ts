import { parseExactJson } from '../../core/exact-json.js';
import type { AdapterDescription } from '../adapter-description.js';
import type {
  Attempt,
  Catalogue,
  CatalogueProbe,
  NamedAttempt,
  ReadingInquiry,
  StoredSettings,
  SupplierAdapter,
  SupplierBalance,
  Unavailable,
} from '../supplier-adapter.js';
import { describeFailure, type HttpAnswer, type SupplierHttp } from '../supplier-http.js';
import type { SupplierOutcome } from '../supplier-outcome.js';
import { failedSend, notSent, unreachable } from '../vendor-answers.js';
import { lapakgamingCallbacks } from './lapakgaming-callbacks.js';
import { CURRENCY, readBalance } from './lapakgaming-data.js';
import { readOrderAnswer, readOrderStatus } from './order-answers.js';
import { orderRequest, requestProblem } from './order-request.js';
import { readProductList, readProductOf } from './product-list.js';

/** The list of all products has about a megabyte. */
const MAX_PRODUCT_LIST_BYTES = 16_000_000;

export interface LapakgamingSettings {
  baseUrl: string;
  secretKey: string;
  /** Whose products are listed; null for those that the vendor lists without a country. */
  country: string | null;
  /** Where it is to call us about an order; null for the address in our profile there. */
  callbackUrl: string | null;
  timeoutMs: number;
}

/** Lapakgaming's API for resellers: https://documenter.gw.postman.com/view/2s9XxvTujb. */
export class LapakgamingSupplier implements SupplierAdapter<LapakgamingSettings> {
  static readonly description: AdapterDescription = {
    adapter: 'lapakgaming',
    name: 'Lapakgaming (resellers)',
    credentials: [
      {
        name: 'secret_key',
        secret: true,
        required: true,
        isAccount: true,
        help: 'Secret key of the reseller account',
      },
    ],
    options: [
      {
        name: 'country_code',
        values: ['id', 'my', 'ph', 'th', 'us', 'br', 'vn'],
        help: 'Whose products the catalogue has; those that are listed without a country unless given',
      },
    ],
    capabilities: ['deduplication', 'inquiry', 'balance', 'catalogue', 'callbacks', 'price_guard'],
    references: 'random',
    baseUrl: 'https://www.lapakgaming.com',
    currency: CURRENCY,
  };

  /** By `partner_reference_id`: the vendor means it for calls that timed out. */
  readonly deduplicates = true;

  readonly inquiry: ReadingInquiry<LapakgamingSettings> = {
    mayBuy: false,
    firstMs: 5_000,
    minGapMs: 2_000,
    maxAgeMs: null,
    ask: (settings, attempt) => this.askStatus(settings, attempt),
  };

  readonly callbacks = lapakgamingCallbacks;

  /** The vendor allows 50 readings of products in 10 seconds; one of all of them is large. */
  readonly catalogue: Catalogue<LapakgamingSettings> = {
    minGapMs: 180_000,
    isGapOurs: true,
    productGapMs: 250,
    read: (settings) => this.askProducts(settings, 'all-products', {}, readProductList),
    readOne: (settings, sku) =>
      this.askProducts(settings, 'product', { product_code: sku }, (answer) => readProductOf(answer, sku)),
  };

  constructor(private readonly http: SupplierHttp) {}

  readSettings({ baseUrl, credentials, options, ...stored }: StoredSettings): LapakgamingSettings {
    const { secret_key: secretKey = '' } = credentials;
    const { timeoutMs, callbackUrl } = stored;
    return { baseUrl, secretKey, country: options.country_code ?? null, timeoutMs, callbackUrl };
  }

  async send(settings: LapakgamingSettings, attempt: Attempt): Promise<SupplierOutcome> {
    const problem = requestProblem(attempt);
    if (problem !== null) return notSent(attempt, { detail: problem, fault: 'configuration' });
    try {
      const body = orderRequest(settings, attempt);
      return readOrderAnswer(await this.call(settings, '/api/order', { body }), attempt);
    } catch (error) {
      return failedSend(error, attempt);
    }
  }

  async balance(settings: LapakgamingSettings): Promise<SupplierBalance> {
    try {
      return readBalance(await this.call(settings, '/api/balance'));
    } catch (error) {
      return unreachable(error);
    }
  }

  /** By one product, which need not exist. */
  async probeCatalogue(settings: LapakgamingSettings): Promise<CatalogueProbe> {
    const reading = await this.catalogue.readOne(settings, 'probe');
    return reading.known ? { known: true } : reading;
  }

  private async askStatus(settings: LapakgamingSettings, attempt: NamedAttempt): Promise<SupplierOutcome> {
    const { reference, supplierReference: tid } = attempt;
    const query = new URLSearchParams(tid === null ? { partner_reference_id: reference } : { tid });
    try {
      const answer = await this.call(settings, `/api/order_status?${query.toString()}`);
      return readOrderStatus(answer, attempt);
    } catch (error) {
      return { kind: 'unknown', detail: describeFailure(error) };
    }
  }

  private async askProducts<Reading>(
    settings: LapakgamingSettings,
    path: string,
    about: Record<string, string>,
    read: (answer: HttpAnswer) => Reading,
  ): Promise<Reading | Unavailable> {
    const { country } = settings;
    const query = new URLSearchParams({ ...about, ...(country !== null && { country_code: country }) });
    const asked = query.size === 0 ? '' : `?${query.toString()}`;
    try {
      const limit = { maxAnswerBytes: MAX_PRODUCT_LIST_BYTES };
      return read(await this.call(settings, `/api/${path}${asked}`, limit));
    } catch (error) {
      return unreachable(error);
    }
  }

  private call(
    { baseUrl, secretKey, timeoutMs }: LapakgamingSettings,
    path: string,
    { body, ...limit }: { body?: string; maxAnswerBytes?: number } = {},
  ): Promise<HttpAnswer> {
    const headers = { accept: 'application/json', authorization: `Bearer ${secretKey}` };
    const call = { url: `${baseUrl}${path}`, timeoutMs, parse: parseExactJson, ...limit };
    if (body === undefined) return this.http.call({ method: 'GET', headers, ...call });
    const json = { ...headers, 'content-type': 'application/json' };
    return this.http.call({ method: 'POST', headers: json, body, ...call });
  }
}
