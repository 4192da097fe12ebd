import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/durations.js';
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
import { inquireAndRead, notSent, requestAndRead, sendAndRead, toProbe } from '../adapter-answers.js';
import { readOutputAnswer } from './output-answers.js';
import { readExport, readExportOf } from './product-export.js';
import { readPurchaseAnswer } from './purchase-answers.js';
import { oneTextProblem } from '../player-template.js';
import { purchaseFields, requestBody } from './purchase-request.js';
import { wepayCallbacks } from './wepay-callbacks.js';
import { CURRENCY, parseAnswer, readBalance } from './wepay-data.js';

/** Enough for an export of several thousand amounts, each with a description. */
const MAX_EXPORT_BYTES = 20_000_000;

interface WepaySettings {
  baseUrl: string;
  username: string;
  password: string;
  /** Where callbacks about a purchase go; null for none. */
  callbackUrl: string | null;
  timeoutMs: number;
}

/** wePAY of Thailand: games, mobile top-ups and cash cards, in baht. */
export class WepaySupplier implements SupplierAdapter<WepaySettings> {
  static readonly description: AdapterDescription = {
    adapter: 'wepay',
    name: 'wePAY',
    credentials: [
      { name: 'username', secret: false, required: true, isAccount: true, help: 'Username of the API' },
      { name: 'password', secret: true, required: true, help: 'Password of the API' },
    ],
    options: [],
    references: 'random',
    baseUrl: 'https://www.wepay.in.th',
    currency: CURRENCY,
  };

  readonly deduplicates = true;

  /** The supplier cannot be queried by our reference, but refuses a repeat of the purchase if the first send arrived. */
  readonly inquiry: BuyingInquiry<WepaySettings> = {
    mayBuy: true,
    firstMs: 0,
    minGapMs: 10 * SECOND_MS,
    // The supplier does not document how long it remembers a reference.
    maxAgeMs: HOUR_MS,
    query: (settings, attempt) => this.send(settings, { ...attempt, isRepeat: true }),
    bySupplierReference: {
      mayBuy: false,
      firstMs: 5 * SECOND_MS,
      minGapMs: 2 * SECOND_MS,
      maxAgeMs: null,
      query: (settings, attempt) =>
        inquireAndRead(
          () => this.call(settings, { type: 'get_output', transaction_id: attempt.supplierReference ?? '' }),
          (answer) => readOutputAnswer(answer, attempt),
        ),
    },
  };

  readonly callbacks = wepayCallbacks;

  /** The catalogue is public, and large. */
  readonly catalogue: Catalogue<WepaySettings> = {
    minGapMs: 5 * MINUTE_MS,
    // The supplier has no request for a single product, so the adapter reads the whole catalogue.
    productGapMs: 5 * MINUTE_MS,
    isGapOurs: true,
    read: (settings) => this.readCatalogue(settings, readExport),
    readOne: (settings, sku) => this.readCatalogue(settings, (answer) => readExportOf(answer, sku)),
    probe: (settings) => this.readCatalogue(settings, (answer) => toProbe(readExport(answer))),
  };

  constructor(private readonly http: AdapterHttp) {}

  readSettings({ credentials, baseUrl, callbackUrl, timeoutMs }: StoredSettings): WepaySettings {
    const { username = '', password = '' } = credentials;
    return { baseUrl, username, password, callbackUrl, timeoutMs };
  }

  async send(settings: WepaySettings, attempt: Attempt): Promise<SupplierOutcome> {
    const problem = oneTextProblem(attempt.playerTemplate);
    if (problem !== null) return notSent(attempt, { detail: problem, fault: 'configuration' });
    const fields = purchaseFields(attempt, settings);
    if (!fields) {
      const detail = 'the SKU is not a type, a company and an amount, such as gtopup:FREEFIRE:90';
      return notSent(attempt, { detail, fault: 'configuration' });
    }
    return sendAndRead(
      attempt,
      () => this.call(settings, fields),
      (answer) => readPurchaseAnswer(answer, attempt),
    );
  }

  balance(settings: WepaySettings): Promise<SupplierBalance> {
    return requestAndRead(() => this.call(settings, { type: 'balance_inquiry' }), readBalance);
  }

  private readCatalogue<Reading>(
    { baseUrl, timeoutMs }: WepaySettings,
    read: (answer: HttpAnswer) => Reading,
  ): Promise<Reading | Unavailable> {
    const url = `${baseUrl}/comp_export.php?json`;
    const limits = { timeoutMs, maxAnswerBytes: MAX_EXPORT_BYTES, parse: parseAnswer };
    const headers = { accept: 'application/json' };
    return requestAndRead(() => this.http.call({ method: 'GET', url, headers, ...limits }), read);
  }

  private call(settings: WepaySettings, fields: Record<string, string>): Promise<HttpAnswer> {
    const { baseUrl, timeoutMs } = settings;
    return this.http.call({
      method: 'POST',
      url: `${baseUrl}/client_api.json.php`,
      headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      body: requestBody(settings, fields),
      timeoutMs,
      parse: parseAnswer,
    });
  }
}
