import { createHmac, hkdfSync } from 'node:crypto';
import { InjectQueue } from '@nestjs/bull';
import { Inject, Injectable } from '@nestjs/common';
import type { Queue } from 'bull';
import { CONFIG, type Config } from '../../core/config.js';
import { withDeadline } from '../../core/durations.js';
import { present } from '../../core/invariant.js';
import { PLAYER_VERDICTS, type PlayerVerdict } from '../../catalog/player-validators/player-validator.js';
import { FULFILMENT_QUEUE } from '../../queues/queues.js';
import { RedisHealthService } from '../../queues/redis-health.service.js';

/** The contract promises 5 minutes (contract, section 5). */
const CACHE_MS = 300_000;
/** For the verdict `unknown`. Shorter, because an unavailable validator may soon be available. */
const UNKNOWN_CACHE_MS = 5_000;
const ANSWER_WITHIN_MS = 500;

/**
 * Verdicts in Redis, shared by all API processes. The name of an entry is a digest under a key from SECRETS_KEY: without the
 * key, a reader of Redis cannot find players by trying ids. Without Redis nothing is cached, and nothing fails.
 */
@Injectable()
export class VerdictCache {
  private readonly secret: Buffer;

  constructor(
    @InjectQueue(FULFILMENT_QUEUE) private readonly queue: Queue,
    private readonly health: RedisHealthService,
    @Inject(CONFIG) { secretsKey }: Config,
  ) {
    const key = present(secretsKey, 'the API has a SECRETS_KEY');
    this.secret = Buffer.from(hkdfSync('sha256', key, '', 'player verdicts', 32));
  }

  /** The name of an entry. @param about all that the verdict depends on. */
  keyOf(about: readonly (string | null)[]): string {
    const digest = createHmac('sha256', this.secret)
      .update(`player check ${JSON.stringify(about)}`)
      .digest('base64url');
    return this.queue.toKey(`player:${digest}`);
  }

  async get(key: string): Promise<PlayerVerdict | undefined> {
    return this.tryCommand(async () => {
      const text = await this.queue.client.get(key);
      return text ? readVerdict(text) : undefined;
    });
  }

  async put(key: string, verdict: PlayerVerdict): Promise<void> {
    const cacheMs = verdict.verdict === 'unknown' ? UNKNOWN_CACHE_MS : CACHE_MS;
    await this.tryCommand(() => this.queue.client.set(key, JSON.stringify(verdict), 'PX', cacheMs));
  }

  private async tryCommand<Reply>(command: () => Promise<Reply>): Promise<Reply | undefined> {
    if (!this.health.isUp) return undefined;
    try {
      return await withDeadline(command(), ANSWER_WITHIN_MS);
    } catch {
      return undefined;
    }
  }
}

/** Returns nothing for a verdict that this version does not know: another version may have written it. */
function readVerdict(text: string): PlayerVerdict | undefined {
  const { verdict, name } = JSON.parse(text) as Partial<PlayerVerdict>;
  const isKnown = PLAYER_VERDICTS.some((each) => each === verdict);
  return verdict !== undefined && isKnown ? { verdict, name: name ?? null } : undefined;
}
