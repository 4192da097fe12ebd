import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import { LOGGER } from '../core/core.module.js';
import { withDeadline } from '../core/durations.js';
import { AppError } from '../core/errors.js';
import { API_KEY_SHAPE } from '../core/identifiers.js';
import type { Logger } from '../core/logger.js';
import { parseNetwork, type Network } from '../core/networks.js';
import { GroupCommit, succeeded } from '../database/group-commit.js';
import { ApiKeyUsesService, type KeyUse } from './api-key-uses.service.js';
import { ApiKeysRepository, type RecognizedKey } from './api-keys.repository.js';
import { hashApiKey } from './api-keys.service.js';
import type { Caller } from './caller.js';

interface Entry {
  caller: Caller;
  suspended: boolean;
  networks: Network[] | 'any';
  /** In monotonic milliseconds. */
  expiresAtMs: number;
  /** The start of the last query that looked the key up, in monotonic milliseconds. */
  verifiedAtMs: number;
  usedAtMs: number;
}

/** A lookup is valid for this long. Including the time of a query, a revoked key stops working within 5 s. */
const TRUST_MS = 4_000;
const REFRESH_MS = 1_500;
/** The time limit of a lookup. Clients wait 10 s for an answer, and the request itself needs time after the lookup. */
const ANSWER_WITHIN_MS = 5_000;
const FORGET_AFTER_MS = 60_000;
const MAX_ENTRIES = 20_000;
/** A stopping process waits no longer than this to write the last uses. */
const LAST_WITHIN_MS = 1_000;

/**
 * Recognizes API keys. It caches keys in use and refreshes them in the background with one query, so that a request costs
 * no database round trip. It looks up any other key before the request goes on.
 */
@Injectable()
export class ApiKeyVerifier implements OnModuleInit, OnApplicationShutdown {
  private readonly entries = new Map<string, Entry>();
  private timer: NodeJS.Timeout | undefined;
  private isRefreshing = false;
  /** Concurrent lookups share queries, so that a flood of unknown keys takes few connections. */
  private readonly lookups = new GroupCommit<Buffer, Entry | undefined>({
    commit: async (hashes) => (await this.lookUp(hashes)).map(succeeded),
    retryAlone: () => false,
    maxBatch: 500,
    answerWithinMs: ANSWER_WITHIN_MS,
  });

  constructor(
    private readonly apiKeys: ApiKeysRepository,
    private readonly uses: ApiKeyUsesService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => void this.refresh(), REFRESH_MS).unref();
  }

  /** All requests have ended. Notes the uses since the last refresh. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await withDeadline(this.noteUses(), LAST_WITHIN_MS).catch(() => undefined);
  }

  /**
   * @param key what the caller sent as `X-API-Key`.
   * @param address the caller's IP address.
   * @throws UNAUTHORIZED for a missing, unknown, revoked or expired key; FORBIDDEN for a suspended merchant or an
   * address outside the key's networks; SERVICE_UNAVAILABLE when the key must be looked up, and the database is away or
   * too slow.
   */
  async verify(key: string | undefined, address: string | undefined): Promise<Caller> {
    if (key === undefined || !API_KEY_SHAPE.test(key)) throw invalidApiKey();
    const hash = hashApiKey(key);
    const id = hash.toString('base64');
    let entry = this.entries.get(id);
    if (!entry || performance.now() - entry.verifiedAtMs > TRUST_MS) entry = await this.lookups.submit(hash);
    if (!entry || entry.expiresAtMs <= performance.now()) throw invalidApiKey();
    entry.usedAtMs = performance.now();
    if (entry.suspended) throw new AppError('FORBIDDEN', 'This merchant is suspended: please contact the operator');
    if (entry.networks !== 'any' && !isWithin(address, entry.networks)) {
      throw new AppError('FORBIDDEN', 'This API key may not be used from this address');
    }
    return entry.caller;
  }

  /** Does nothing while a refresh runs: while PostgreSQL is slow, they must not add up. */
  private async refresh(): Promise<void> {
    if (this.isRefreshing) return;
    const oldest = performance.now() - FORGET_AFTER_MS;
    for (const [id, entry] of this.entries) if (entry.usedAtMs < oldest) this.entries.delete(id);
    if (this.entries.size === 0) return;
    this.isRefreshing = true;
    try {
      await this.lookUp([...this.entries.keys()].map((id) => Buffer.from(id, 'base64')));
      await this.noteUses();
    } catch (error) {
      // Harmless: once a cached lookup is too old, the next request looks its key up. The next refresh notes the uses.
      this.logger.debug({ reason: (error as Error).message }, 'refreshing API keys failed');
    } finally {
      this.isRefreshing = false;
    }
  }

  private noteUses(): Promise<void> {
    return this.uses.note([...this.entries.values()].map(toUse));
  }

  /**
   * Looks keys up, caches them, and removes unknown or revoked ones from the cache.
   * @returns the entry of each key, in order; undefined for an unknown or revoked key. Callers must not read the cache
   * instead: a full cache is emptied.
   */
  private async lookUp(hashes: Buffer[]): Promise<(Entry | undefined)[]> {
    const verifiedAtMs = performance.now();
    const rows = await this.apiKeys.recognize(hashes);
    const found = new Map(rows.map((row) => [row.key_hash.toString('base64'), row]));
    return hashes.map((hash) => {
      const id = hash.toString('base64');
      const row = found.get(id);
      const known = this.entries.get(id);
      if (known && known.verifiedAtMs > verifiedAtMs) return known;
      const entry = row && toEntry(row, verifiedAtMs, known?.usedAtMs ?? verifiedAtMs);
      if (entry) this.remember(id, entry);
      else this.entries.delete(id);
      return entry;
    });
  }

  private remember(id: string, entry: Entry): void {
    if (this.entries.size >= MAX_ENTRIES && !this.entries.has(id)) this.entries.clear();
    this.entries.set(id, entry);
  }
}

const toUse = ({ caller, usedAtMs }: Entry): KeyUse => ({ apiKeyId: caller.apiKeyId, usedAtMs });

/** The same error for every invalid key: it does not reveal why the key is invalid. */
export const invalidApiKey = (): AppError => new AppError('UNAUTHORIZED', 'Invalid or missing API key');

function toEntry(row: RecognizedKey, verifiedAtMs: number, usedAtMs: number): Entry {
  return {
    caller: Object.freeze({ apiKeyId: row.id, merchantId: row.merchant_id, sandbox: row.sandbox }),
    suspended: row.suspended,
    networks: networksOf(row),
    expiresAtMs: verifiedAtMs + (row.expires_in_ms ?? Infinity),
    verifiedAtMs,
    usedAtMs,
  };
}

/** A stored network that is no longer readable allows no address. */
const networksOf = ({ allowed_networks: stored }: RecognizedKey): Entry['networks'] =>
  stored.length === 0
    ? 'any'
    : stored
        .map(parseNetwork)
        .filter((network) => network !== undefined)
        .map(unmapped);

/** Turns an IPv6 network of IPv4-mapped addresses into its IPv4 network, because callers from there count as IPv4. */
const unmapped = ([base, bits]: Network): Network =>
  base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits >= 96
    ? [base.toIPv4Address(), bits - 96]
    : [base, bits];

function isWithin(address: string | undefined, networks: Network[]): boolean {
  if (address === undefined || !ipaddr.isValid(address)) return false;
  const caller = ipaddr.process(address);
  return networks.some(([base, bits]) => base.kind() === caller.kind() && caller.match(base, bits));
}
