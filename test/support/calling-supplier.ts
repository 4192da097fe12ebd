import { createHmac } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import type { AdapterDescription } from '../../src/suppliers/adapter-description.js';
import { ADAPTER_NAMES, ADAPTERS, toKnownAdapter, type KnownAdapter } from '../../src/suppliers/adapters.js';
import { HttpSupplier, type HttpSettings } from '../../src/suppliers/http/http-supplier.js';
import type { AdapterHttp } from '../../src/suppliers/adapter-http.js';
import type { Attempt, StoredSettings } from '../../src/suppliers/supplier-adapter.js';
import type { CallbackReader, CallbackReading, RawCallback } from '../../src/suppliers/supplier-adapter.js';
import type { SupplierOutcome } from '../../src/suppliers/supplier-outcome.js';

export const WEBHOOK_SECRET = 'webhook-secret-of-the-test';
export const SIGNATURE_HEADER = 'x-signature';

interface CallingSettings extends HttpSettings {
  webhookSecret: string | null;
}

/** The signature of a callback's bytes. */
export const signatureOf = (body: string | Buffer, secret = WEBHOOK_SECRET): string =>
  createHmac('sha256', secret).update(body).digest('hex');

/**
 * The supplier protocol with callbacks: the body is a {@link CallbackReading} in JSON. With a webhook secret it must be
 * signed; without one it only causes an inquiry.
 */
class CallingSupplier extends HttpSupplier {
  static override readonly description: AdapterDescription = {
    ...HttpSupplier.description,
    adapter: 'calling',
    credentials: [
      ...HttpSupplier.description.credentials,
      { name: 'webhook_secret', secret: true, required: false, help: 'Signs callbacks' },
    ],
  };

  readonly callbacks: CallbackReader<CallingSettings> = { read };

  override readSettings(stored: StoredSettings): CallingSettings {
    return { ...super.readSettings(stored), webhookSecret: stored.credentials.webhook_secret ?? null };
  }

  /** HTTP 403 means that the offer is not set up. */
  override async send(settings: CallingSettings, attempt: Attempt): Promise<SupplierOutcome> {
    const outcome = await super.send(settings, attempt);
    const isForbidden = outcome.kind === 'not_accepted' && outcome.detail === 'HTTP 403';
    return isForbidden ? { ...outcome, fault: 'configuration' } : outcome;
  }
}

/** The same, with at most one call about an attempt in ten minutes. */
class PatientSupplier extends CallingSupplier {
  static override readonly description: AdapterDescription = {
    ...CallingSupplier.description,
    adapter: 'patient',
  };

  constructor(http: AdapterHttp) {
    super(http);
    Object.assign(this.inquiry, { minGapMs: 600_000 });
  }
}

/** The same, but it sells a repeated reference again. */
class ResellingSupplier extends CallingSupplier {
  static override readonly description: AdapterDescription = {
    ...CallingSupplier.description,
    adapter: 'reselling',
  };

  constructor(http: AdapterHttp) {
    super(http);
    Object.assign(this, { deduplicates: false });
    Object.assign(this.inquiry, { isNotFoundCertain: true });
  }
}

/** The same, but inquiries send the attempt again. */
class RepeatingSupplier extends CallingSupplier {
  static override readonly description: AdapterDescription = {
    ...CallingSupplier.description,
    adapter: 'repeating',
  };

  constructor(http: AdapterHttp) {
    super(http);
    const query = (settings: CallingSettings, attempt: Attempt): Promise<SupplierOutcome> =>
      this.send(settings, { ...attempt, isRepeat: true });
    Object.assign(this.inquiry, { mayBuy: true, query });
  }
}

function read({ method, headers, query, body }: RawCallback, { webhookSecret }: CallingSettings): CallbackReading {
  if (webhookSecret !== null && headers[SIGNATURE_HEADER] !== signatureOf(body, webhookSecret))
    return { kind: 'refused', detail: 'its signature is wrong' };
  if (method === 'GET') return { kind: 'about', reference: query.reference ?? '' };
  let reading: CallbackReading;
  try {
    reading = JSON.parse(body.toString()) as CallbackReading;
  } catch {
    return { kind: 'unreadable', detail: 'it is not JSON' };
  }
  if (reading.kind !== 'about' || webhookSecret !== null) return reading;
  const { outcome: _untrusted, ...about } = reading;
  return about;
}

/** Adds these adapters to the service for the suite. A suite must call it before its own hooks. */
export function useCallingAdapters(): void {
  const made = [CallingSupplier, PatientSupplier, ResellingSupplier, RepeatingSupplier].map(toKnownAdapter);
  const all = ADAPTERS as KnownAdapter[];
  const settle = (): void => {
    ADAPTER_NAMES.splice(0, Infinity, ...ADAPTERS.map(({ description }) => description.adapter));
  };
  beforeAll(() => {
    all.push(...made);
    settle();
  });
  afterAll(() => {
    all.splice(0, Infinity, ...all.filter((adapter) => !made.includes(adapter)));
    settle();
  });
}
