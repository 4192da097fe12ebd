import { MINUTE_MS } from '../../core/durations.js';
import { parseExactJson } from '../../core/exact-json.js';
import type { AdapterDescription } from '../adapter-description.js';
import type {
  Attempt,
  Catalogue,
  ProductReading,
  ReadingInquiry,
  StoredSettings,
  SupplierAdapter,
  SupplierBalance,
} from '../supplier-adapter.js';
import type { HttpAnswer, AdapterHttp } from '../adapter-http.js';
import type { SupplierOutcome } from '../supplier-outcome.js';
import { inquireAndRead, notSent, requestAndRead, sendAndRead } from '../adapter-answers.js';
import { readInquiry, readOrderAnswer } from './order-answers.js';
import { orderFields, requestProblem, typeOf } from './order-request.js';
import { readCategories, readTypeOf } from './product-types.js';
import { seagmCallbacks } from './seagm-callbacks.js';
import { readCatalogue } from './seagm-catalogue.js';
import { readBalance, unavailable } from './seagm-data.js';
import { signatureOf, type Parameters } from './seagm-signatures.js';

/** Enough for the types of one category. */
const MAX_LIST_BYTES = 2_000_000;
/** The supplier bans clients that call too often, and does not document how often that is. */
const CATALOGUE_PACE_MS = 500;

interface SeagmSettings {
  baseUrl: string;
  uid: string;
  secretKey: string;
  timeoutMs: number;
}

/** SEAGM's API for partners: https://doc.openapi.seagm.io. */
export class SeagmSupplier implements SupplierAdapter<SeagmSettings> {
  static readonly description: AdapterDescription = {
    adapter: 'seagm',
    name: 'SEAGM (top-ups and PIN cards)',
    credentials: [
      {
        name: 'uid',
        secret: false,
        required: true,
        isAccount: true,
        help: 'User id of the partner account',
      },
      {
        name: 'secret_key',
        secret: true,
        required: true,
        help: 'Secret key that signs requests and callbacks',
      },
    ],
    options: [],
    references: 'random',
    baseUrl: 'https://openapi.seagm.com',
    currency: null,
  };

  /** The supplier does not document the effect of a repeated `mch_order_id`: a repeat may buy again. */
  readonly deduplicates = false;

  readonly inquiry: ReadingInquiry<SeagmSettings> = {
    mayBuy: false,
    isNotFoundCertain: true,
    firstMs: 5_000,
    minGapMs: 5_000,
    maxAgeMs: null,
    // Queries by our own reference, which the supplier knows even if its answer to the send never reached us.
    query: (settings, attempt) => {
      const kind = typeOf(attempt.sku)?.kind ?? 'recharge';
      const path = `/v1/${kind}-orders/${encodeURIComponent(attempt.reference)}`;
      return inquireAndRead(
        () => this.get(settings, path, { query_type: 'mchOrderId' }),
        (answer) => readInquiry(answer, kind, attempt),
      );
    },
  };

  readonly callbacks = seagmCallbacks;

  readonly catalogue: Catalogue<SeagmSettings> = {
    minGapMs: 15 * MINUTE_MS,
    isGapOurs: true,
    productGapMs: 1_000,
    read: (settings) => readCatalogue((path) => this.get(settings, path), CATALOGUE_PACE_MS),
    readOne: (settings, sku) => this.readType(settings, sku),
    probe: (settings) =>
      requestAndRead(
        () => this.get(settings, '/v1/recharge-categories'),
        (answer) => (readCategories(answer, 'recharge') === null ? unavailable(answer) : { known: true }),
      ),
  };

  constructor(private readonly http: AdapterHttp) {}

  readSettings({ baseUrl, credentials, timeoutMs }: StoredSettings): SeagmSettings {
    const { uid = '', secret_key: secretKey = '' } = credentials;
    return { baseUrl, uid, secretKey, timeoutMs };
  }

  async send(settings: SeagmSettings, attempt: Attempt): Promise<SupplierOutcome> {
    const problem = requestProblem(attempt);
    const type = typeOf(attempt.sku);
    if (problem !== null || type === null) {
      const detail = problem ?? 'the SKU can’t be read';
      return notSent(attempt, { detail, fault: 'configuration' });
    }
    const { kind, typeId } = type;
    return sendAndRead(
      attempt,
      () => this.post(settings, `/v1/${kind}-orders`, orderFields(typeId, kind, attempt)),
      (answer) => readOrderAnswer(answer, kind, attempt),
    );
  }

  balance(settings: SeagmSettings): Promise<SupplierBalance> {
    return requestAndRead(() => this.get(settings, '/v1/me'), readBalance);
  }

  private async readType(settings: SeagmSettings, sku: string): Promise<ProductReading> {
    const type = typeOf(sku);
    if (type === null) return { known: true, product: null };
    const { kind, typeId } = type;
    return requestAndRead(
      () => this.get(settings, `/v1/${kind}-types/${typeId}`),
      (answer) => readTypeOf(answer, kind, typeId),
    );
  }

  private get(settings: SeagmSettings, path: string, parameters: Parameters = {}): Promise<HttpAnswer> {
    const { baseUrl, timeoutMs } = settings;
    const query = signedQuery(settings, parameters, { inQuery: parameters });
    const limits = { timeoutMs, maxAnswerBytes: MAX_LIST_BYTES, parse: parseExactJson };
    const headers = { accept: 'application/json' };
    return this.http.call({ method: 'GET', url: `${baseUrl}${path}?${query}`, headers, ...limits });
  }

  private post(settings: SeagmSettings, path: string, fields: Parameters): Promise<HttpAnswer> {
    const { baseUrl, timeoutMs } = settings;
    const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams(fields).toString();
    const url = `${baseUrl}${path}?${signedQuery(settings, fields, { inQuery: {} })}`;
    return this.http.call({ method: 'POST', url, headers, body, timeoutMs, parse: parseExactJson });
  }
}

/**
 * The query of a request: its own parameters, our account, the time, and a signature over all parameters of query and body.
 * @param inQuery the parameters that stand in the query and not in the body.
 */
function signedQuery(
  { uid, secretKey }: SeagmSettings,
  parameters: Parameters,
  { inQuery }: { inQuery: Parameters },
): string {
  const sender = { uid, timestamp: `${Math.floor(Date.now() / 1_000)}` };
  const signature = signatureOf(secretKey, { ...parameters, ...sender });
  return new URLSearchParams({ ...inQuery, ...sender, signature }).toString();
}
