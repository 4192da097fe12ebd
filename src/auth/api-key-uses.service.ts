import { Injectable } from '@nestjs/common';
import { HOUR_MS } from '../core/durations.js';
import { ApiKeysRepository } from './api-keys.repository.js';

const MAX_NOTED = 20_000;

/** A request's use of its key. */
export interface KeyUse {
  apiKeyId: number;
  /** In monotonic milliseconds. */
  usedAtMs: number;
}

/**
 * Records when API keys were last used, to the hour. No request waits for this. One statement writes all keys, and all
 * processes together write each key at most once an hour.
 */
@Injectable()
export class ApiKeyUsesService {
  /** The last hour that was written for each key, counted from 1970. */
  private readonly noted = new Map<number, number>();

  constructor(private readonly apiKeys: ApiKeysRepository) {}

  /** @throws SERVICE_UNAVAILABLE; a later call with the same uses writes them. */
  async note(uses: Iterable<KeyUse>): Promise<void> {
    const processStartMs = Date.now() - performance.now();
    const due = new Map<number, number>();
    for (const { apiKeyId, usedAtMs } of uses) {
      const hour = Math.floor((processStartMs + usedAtMs) / HOUR_MS);
      if (hour > (this.noted.get(apiKeyId) ?? 0)) due.set(apiKeyId, hour);
    }
    if (due.size === 0) return;
    const rows = [...due].map(([id, hour]) => ({ id, used_at: new Date(hour * HOUR_MS) }));
    await this.apiKeys.noteUses(rows);
    if (this.noted.size + due.size > MAX_NOTED) this.noted.clear();
    for (const [id, hour] of due) this.noted.set(id, hour);
  }
}
