import { parseExactJson } from '../../core/exact-json.js';
import type { AdapterDescription } from '../adapter-description.js';
import type {
  Attempt,
  Catalogue,
  ReadingInquiry,
  StoredSettings,
  SupplierAdapter,
  SupplierBalance,
  Unavailable,
} from '../supplier-adapter.js';
import type { HttpAnswer, AdapterHttp } from '../adapter-http.js';
import type { SupplierOutcome } from '../supplier-outcome.js';
import { inquireAndRead, notSent, requestAndRead, sendAndRead, toProbe } from '../adapter-answers.js';
import { lapakgamingCallbacks } from './lapakgaming-callbacks.js';
import { CURRENCY, readBalance } from './lapakgaming-data.js';
import { readOrderAnswer, readOrderStatus } from './order-answers.js';
import { orderRequest, requestProblem } from './order-request.js';
import { readProductList, readProductOf } from './product-list.js';

/** The list of all products has about a megabyte. */
const MAX_PRODUCT_LIST_BYTES = 16_000_000;

interface LapakgamingSettings {
  baseUrl: string;
  secretKey: string;
  /** The country of the products; null for the products that the supplier lists without a country. */
  country: string | null;
  /** Where callbacks about an order go; null for the address in our profile at the supplier. */
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
        help: 'The country whose products the catalogue has; by default products that are listed without a country',
      },
    ],
    references: 'random',
    baseUrl: 'https://www.lapakgaming.com',
    currency: CURRENCY,
  };

  /** The supplier recognizes a repeated order by `partner_reference_id`. */
  readonly deduplicates = true;
  readonly guardsPrice = true;

  readonly inquiry: ReadingInquiry<LapakgamingSettings> = {
    mayBuy: false,
    firstMs: 5_000,
    minGapMs: 2_000,
    maxAgeMs: null,
    query: (settings, attempt) => {
      const { reference, supplierReference: tid } = attempt;
      const query = new URLSearchParams(tid === null ? { partner_reference_id: reference } : { tid });
      return inquireAndRead(
        () => this.call(settings, `/api/order_status?${query.toString()}`),
        (answer) => readOrderStatus(answer, attempt),
      );
    },
  };

  readonly callbacks = lapakgamingCallbacks;

  /** The supplier allows 50 requests of products in 10 seconds. The answer with all products is large. */
  readonly catalogue: Catalogue<LapakgamingSettings> = {
    minGapMs: 180_000,
    isGapOurs: true,
    productGapMs: 250,
    read: (settings) => this.readProducts(settings, 'all-products', {}, readProductList),
    readOne: (settings, sku) => this.readProduct(settings, sku, (answer) => readProductOf(answer, sku)),
    // Requests a product that need not exist.
    probe: (settings) => this.readProduct(settings, 'probe', (answer) => toProbe(readProductOf(answer, 'probe'))),
  };

  constructor(private readonly http: AdapterHttp) {}

  readSettings({ baseUrl, credentials, options, ...stored }: StoredSettings): LapakgamingSettings {
    const { secret_key: secretKey = '' } = credentials;
    const { timeoutMs, callbackUrl } = stored;
    return { baseUrl, secretKey, country: options.country_code ?? null, timeoutMs, callbackUrl };
  }

  async send(settings: LapakgamingSettings, attempt: Attempt): Promise<SupplierOutcome> {
    const problem = requestProblem(attempt);
    if (problem !== null) return notSent(attempt, { detail: problem, fault: 'configuration' });
    return sendAndRead(
      attempt,
      () => this.call(settings, '/api/order', { body: orderRequest(settings, attempt) }),
      (answer) => readOrderAnswer(answer, attempt),
    );
  }

  balance(settings: LapakgamingSettings): Promise<SupplierBalance> {
    return requestAndRead(() => this.call(settings, '/api/balance'), readBalance);
  }

  private readProduct<Reading>(
    settings: LapakgamingSettings,
    sku: string,
    read: (answer: HttpAnswer) => Reading,
  ): Promise<Reading | Unavailable> {
    return this.readProducts(settings, 'product', { product_code: sku }, read);
  }

  private readProducts<Reading>(
    settings: LapakgamingSettings,
    path: string,
    about: Record<string, string>,
    read: (answer: HttpAnswer) => Reading,
  ): Promise<Reading | Unavailable> {
    const { country } = settings;
    const query = new URLSearchParams({ ...about, ...(country !== null && { country_code: country }) });
    const suffix = query.size === 0 ? '' : `?${query.toString()}`;
    const limit = { maxAnswerBytes: MAX_PRODUCT_LIST_BYTES };
    return requestAndRead(() => this.call(settings, `/api/${path}${suffix}`, limit), read);
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
