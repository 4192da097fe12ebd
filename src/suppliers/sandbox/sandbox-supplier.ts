import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ProductKind } from '../../core/product-kind.js';
import type { AdapterDescription } from '../adapter-description.js';
import type {
  Attempt,
  NamedAttempt,
  ReadingInquiry,
  StoredSettings,
  SupplierAdapter,
  SupplierBalance,
} from '../supplier-adapter.js';
import type { Delivery, SupplierOutcome } from '../supplier-outcome.js';
import { behaviourOf, type Verdict } from './sandbox-behaviours.js';

export interface SandboxSettings {
  /** How long a call may take. */
  timeoutMs: number;
}

/** Made-up codes are good for ever. */
const EXPIRES_ON = '2099-12-31';

/**
 * The supplier that is built in: what sandbox merchants order is bought here, and nothing else is. It keeps nothing and
 * calls nobody. What became of an attempt follows from its reference, its player, which piece it is and how long ago it
 * was sent first: so each worker says the same of it, also after a restart.
 */
export class SandboxSupplier implements SupplierAdapter<SandboxSettings> {
  static readonly description: AdapterDescription = {
    adapter: 'sandbox',
    name: 'Sandbox, built in',
    credentials: [],
    options: [],
    capabilities: ['deduplication', 'inquiry'],
    references: 'unit',
    isPausedByFaults: false,
    baseUrl: 'sandbox:',
    currency: null,
  };

  readonly deduplicates = true;

  readonly inquiry: ReadingInquiry<SandboxSettings> = {
    mayBuy: false,
    firstMs: 2_000,
    minGapMs: 0,
    maxAgeMs: null,
    ask: (_settings, attempt) => Promise.resolve(inquire(attempt)),
  };

  readSettings({ timeoutMs }: StoredSettings): SandboxSettings {
    return { timeoutMs };
  }

  async send({ timeoutMs }: SandboxSettings, attempt: Attempt): Promise<SupplierOutcome> {
    if (!attempt.sandbox) return NOT_FOR_SALE;
    const { userId, piece, ageMs } = attempt.sandbox;
    const { manner, verdict } = behaviourOf(userId, attempt.sku, piece);
    switch (manner.kind) {
      case 'told':
        return tell(verdict, attempt, attempt.sandbox.kind);
      case 'late':
        // Whoever is to wait for longer than a call may take is told later.
        if (manner.ms > timeoutMs) return inquire(attempt);
        await delay(manner.ms);
        return tell(verdict, attempt, attempt.sandbox.kind);
      case 'working':
        return ageMs < manner.ms ? PROCESSING : inquire(attempt);
      case 'silent':
      case 'lost':
        return { kind: 'unknown', detail: manner.detail };
    }
  }

  balance(): Promise<SupplierBalance> {
    return Promise.resolve({ known: false, detail: 'the sandbox takes no money', reached: true });
  }
}

const PROCESSING = { kind: 'processing' } as const;

/** Nothing is sold here but to sandbox merchants: whoever else gets here is not to lose what he may have bought. */
const NOT_FOR_SALE = { kind: 'unknown', detail: 'the sandbox sells to sandbox merchants only' } as const;

function inquire(attempt: NamedAttempt): SupplierOutcome {
  if (!attempt.sandbox) return NOT_FOR_SALE;
  const { userId, piece, ageMs, kind } = attempt.sandbox;
  const { manner, verdict } = behaviourOf(userId, attempt.sku, piece);
  if (manner.kind === 'lost') return { kind: 'never_seen' };
  if ('ms' in manner && ageMs < manner.ms) return PROCESSING;
  return tell(verdict, attempt, kind);
}

function tell(verdict: Verdict, { reference }: NamedAttempt, kind: ProductKind): SupplierOutcome {
  if (verdict.kind === 'refused') return { ...verdict, kind: 'failed' };
  const digest = createHash('sha256').update(reference).digest('hex').toUpperCase();
  const supplierReference = `SANDBOX-${digest.slice(0, 16)}`;
  if (kind !== 'code') return { kind: 'succeeded', supplierReference };
  return { kind: 'succeeded', supplierReference, deliveries: [madeUpCode(digest)] };
}

/** Nobody takes it for a real one. */
function madeUpCode(digest: string): Delivery {
  const groups = [16, 20, 24].map((at) => digest.slice(at, at + 4));
  return {
    serial: `SANDBOX-${digest.slice(28, 36)}`,
    code: `SANDBOX-${groups.join('-')}`,
    expiresOn: EXPIRES_ON,
  };
}
