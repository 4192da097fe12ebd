import { DAY_MS, MINUTE_MS } from '../../core/durations.js';
import { parseExactJson } from '../../core/exact-json.js';
import type { AdapterDescription } from '../adapter-description.js';
import type {
  Attempt,
  BuyingInquiry,
  Catalogue,
  StoredSettings,
  SupplierAdapter,
  SupplierBalance,
  Unavailable,
} from '../supplier-adapter.js';
import type { HttpAnswer, AdapterHttp } from '../adapter-http.js';
import type { SupplierOutcome } from '../supplier-outcome.js';
import { notSent, requestAndRead, sendAndRead, toProbe } from '../adapter-answers.js';
import { digiflazzCallbacks } from './digiflazz-callbacks.js';
import { CURRENCY, readBalance } from './digiflazz-data.js';
import { requestSign } from './digiflazz-signatures.js';
import { readPriceList, readPriceOf } from './price-list.js';
import { readPurchaseAnswer } from './purchase-answers.js';
import { purchaseRequest, requestProblem } from './purchase-request.js';

/** Enough for a price list of several thousand products. */
const MAX_PRICE_LIST_BYTES = 10_000_000;

export interface DigiflazzSettings {
  baseUrl: string;
  username: string;
  key: string;
  /** The secret of the webhook; null if it has none. */
  webhookSecret: string | null;
  /** Whether purchases are tests, which need the development key. */
  testing: boolean;
  /** Where callbacks about a purchase go; null for the address in the supplier's panel. */
  callbackUrl: string | null;
  timeoutMs: number;
}

/** Digiflazz's API for buyers of prepaid products: https://developer.digiflazz.com/api/buyer/. */
export class DigiflazzSupplier implements SupplierAdapter<DigiflazzSettings> {
  static readonly description: AdapterDescription = {
    adapter: 'digiflazz',
    name: 'Digiflazz (prepaid)',
    credentials: [
      {
        name: 'username',
        secret: false,
        required: true,
        isAccount: true,
        help: 'Username of the buyer account',
      },
      {
        name: 'key',
        secret: true,
        required: true,
        help: 'API key: the production key, or the development key with testing',
      },
      {
        name: 'webhook_secret',
        secret: true,
        required: false,
        help: 'Secret of the webhook; without it, a callback settles nothing and leads at most to an inquiry',
      },
    ],
    options: [
      {
        name: 'testing',
        values: ['true', 'false'],
        ofAccount: 'false',
        help: 'Whether purchases are tests; by default false',
      },
    ],
    references: 'random',
    baseUrl: 'https://api.digiflazz.com/v1',
    currency: CURRENCY,
  };

  readonly deduplicates = true;
  readonly guardsPrice = true;

  /** A repeat of the request returns the result of the purchase. After 90 days the repeat would be a new purchase. */
  readonly inquiry: BuyingInquiry<DigiflazzSettings> = {
    mayBuy: true,
    remembersSales: true,
    firstMs: MINUTE_MS,
    minGapMs: MINUTE_MS,
    maxAgeMs: 85 * DAY_MS,
    query: (settings, attempt) => this.send(settings, { ...attempt, isRepeat: true }),
  };

  readonly callbacks = digiflazzCallbacks;

  readonly catalogue: Catalogue<DigiflazzSettings> = {
    minGapMs: 5 * MINUTE_MS,
    productGapMs: 2_000,
    read: (settings) => this.readPrices(settings, {}, readPriceList),
    readOne: (settings, sku) => this.readPrices(settings, { code: sku }, (answer) => readPriceOf(answer, sku)),
    // Requests a SKU that need not exist. A probe must not use up the only call for the whole list that we have in five minutes.
    probe: (settings) => this.readPrices(settings, { code: 'probe' }, (answer) => toProbe(readPriceList(answer))),
  };

  constructor(private readonly http: AdapterHttp) {}

  readSettings({ credentials, options, ...stored }: StoredSettings): DigiflazzSettings {
    const { username = '', key = '', webhook_secret: webhookSecret = null } = credentials;
    return { ...stored, username, key, webhookSecret, testing: options.testing === 'true' };
  }

  async send(settings: DigiflazzSettings, attempt: Attempt): Promise<SupplierOutcome> {
    const problem = requestProblem(attempt);
    if (problem !== null) return notSent(attempt, { detail: problem, fault: 'configuration' });
    return sendAndRead(
      attempt,
      () => this.call(settings, 'transaction', purchaseRequest(settings, attempt)),
      (answer) => readPurchaseAnswer(answer, attempt),
    );
  }

  balance(settings: DigiflazzSettings): Promise<SupplierBalance> {
    const { username } = settings;
    const body = JSON.stringify({ cmd: 'deposit', username, sign: requestSign(settings, 'depo') });
    return requestAndRead(() => this.call(settings, 'cek-saldo', body), readBalance);
  }

  private readPrices<Reading>(
    settings: DigiflazzSettings,
    about: { code?: string },
    read: (answer: HttpAnswer) => Reading,
  ): Promise<Reading | Unavailable> {
    const { username } = settings;
    const sign = requestSign(settings, 'pricelist');
    const body = JSON.stringify({ cmd: 'prepaid', username, sign, ...about });
    return requestAndRead(() => this.call(settings, 'price-list', body, MAX_PRICE_LIST_BYTES), read);
  }

  private call(
    { baseUrl, timeoutMs }: DigiflazzSettings,
    path: string,
    body: string,
    maxAnswerBytes?: number,
  ): Promise<HttpAnswer> {
    return this.http.call({
      method: 'POST',
      url: `${baseUrl}/${path}`,
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body,
      timeoutMs,
      parse: parseExactJson,
      maxAnswerBytes,
    });
  }
}
