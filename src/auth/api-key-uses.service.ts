import { Injectable } from '@nestjs/common';
import { HOUR_MS } from '../core/durations.js';
import { ApiKeysRepository } from './api-keys.repository.js';

const MAX_NOTED = 20_000;

/** A key that a request came with. */
export interface KeyUse {
  apiKeyId: number;
  /** In monotonic milliseconds. */
  usedAtMs: number;
}

/**
 * Keeps when API keys were last used, to the hour. What is written was counted off the way of requests, in one statement for
 * all keys, and at most once for each key and hour, however many processes there are.
 */
@Injectable()
export class ApiKeyUsesService {
  /** The last hour that was written of each key, counted from 1970. */
  private readonly noted = new Map<number, number>();

  constructor(private readonly apiKeys: ApiKeysRepository) {}

  /** @throws SERVICE_UNAVAILABLE; what was not written is written with the next ones. */
  async note(uses: Iterable<KeyUse>): Promise<void> {
    const started = Date.now() - performance.now();
    const due = new Map<number, number>();
    for (const { apiKeyId, usedAtMs } of uses) {
      const hour = Math.floor((started + usedAtMs) / HOUR_MS);
      if (hour > (this.noted.get(apiKeyId) ?? 0)) due.set(apiKeyId, hour);
    }
    if (due.size === 0) return;
    const rows = [...due].map(([id, hour]) => ({ id, used_at: new Date(hour * HOUR_MS) }));
    await this.apiKeys.noteUses(rows);
    if (this.noted.size + due.size > MAX_NOTED) this.noted.clear();
    for (const [id, hour] of due) this.noted.set(id, hour);
  }
}
