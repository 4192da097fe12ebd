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
import type { UnitDelivery, SupplierOutcome } from '../supplier-outcome.js';
import { behaviourOf, type Result } from './sandbox-behaviours.js';

interface SandboxSettings {
  /** How long a call may take. */
  timeoutMs: number;
}

/** So far away that no made-up code expires. */
const EXPIRES_ON = '2099-12-31';

/**
 * The built-in supplier of sandbox merchants. It stores nothing and makes no calls. The result of an attempt follows from its
 * reference, SKU, kind of product, player, age, the number of its unit, and the timeout. So every worker gives the same answer,
 * also after a restart.
 */
export class SandboxSupplier implements SupplierAdapter<SandboxSettings> {
  static readonly description: AdapterDescription = {
    adapter: 'sandbox',
    name: 'Sandbox, built in',
    credentials: [],
    options: [],
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
    query: (_settings, attempt) => Promise.resolve(inquire(attempt)),
  };

  readSettings({ timeoutMs }: StoredSettings): SandboxSettings {
    return { timeoutMs };
  }

  async send({ timeoutMs }: SandboxSettings, attempt: Attempt): Promise<SupplierOutcome> {
    if (!attempt.sandbox) return NOT_FOR_SALE;
    const { userId, unitNumber } = attempt.sandbox;
    const { manner, result } = behaviourOf(userId, attempt.sku, unitNumber);
    switch (manner.kind) {
      case 'prompt':
        return answer(result, attempt, attempt.sandbox.kind);
      case 'late':
        // The answer would come after the timeout. So the send returns the result of an inquiry, `processing` at first.
        if (manner.ms > timeoutMs) return inquire(attempt);
        await delay(manner.ms);
        return answer(result, attempt, attempt.sandbox.kind);
      case 'processing':
        return inquire(attempt);
      case 'silent':
      case 'lost':
        return { kind: 'unknown', detail: manner.detail };
    }
  }

  balance(): Promise<SupplierBalance> {
    return Promise.resolve({ known: false, detail: 'the sandbox takes no money', offersNone: true });
  }
}

const PROCESSING = { kind: 'processing' } as const;

/** The outcome for an attempt of a merchant outside the sandbox. The attempt stays in doubt until an operator decides. */
const NOT_FOR_SALE = { kind: 'unknown', detail: 'the sandbox sells to sandbox merchants only' } as const;

function inquire(attempt: NamedAttempt): SupplierOutcome {
  if (!attempt.sandbox) return NOT_FOR_SALE;
  const { userId, unitNumber, ageMs, kind } = attempt.sandbox;
  const { manner, result } = behaviourOf(userId, attempt.sku, unitNumber);
  if (manner.kind === 'lost') return { kind: 'never_seen' };
  if ('ms' in manner && ageMs < manner.ms) return PROCESSING;
  return answer(result, attempt, kind);
}

function answer(result: Result, { reference }: NamedAttempt, kind: ProductKind): SupplierOutcome {
  if (result.kind === 'refused') return { ...result, kind: 'failed' };
  const digest = createHash('sha256').update(reference).digest('hex').toUpperCase();
  const supplierReference = `SANDBOX-${digest.slice(0, 16)}`;
  if (kind !== 'code') return { kind: 'succeeded', supplierReference };
  return { kind: 'succeeded', supplierReference, deliveries: [madeUpCode(digest)] };
}

/** A code that anyone can recognize as made up. */
function madeUpCode(digest: string): UnitDelivery {
  const groups = [16, 20, 24].map((at) => digest.slice(at, at + 4));
  return {
    serial: `SANDBOX-${digest.slice(28, 36)}`,
    code: `SANDBOX-${groups.join('-')}`,
    expiresOn: EXPIRES_ON,
  };
}
