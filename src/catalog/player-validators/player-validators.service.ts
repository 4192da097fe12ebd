import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type Config } from '../../core/config.js';
import { LOGGER } from '../../core/core.module.js';
import type { Logger } from '../../core/logger.js';
import { AdapterHttp } from '../../suppliers/adapter-http.js';
import { G2BulkValidator } from './g2bulk/g2bulk-validator.js';
import type { PlayerCheck, ValidatorName } from './player-validator.js';
import {
  UNKNOWN_PLAYER,
  type NotReported,
  type PlayerQuery,
  type PlayerValidator,
  type PlayerVerdict,
} from './player-validator.js';

/** Calls in flight to one validator, per process. Beyond this, checks return "unknown" at once instead of queueing. */
const MAX_IN_FLIGHT = 8;
/** Limits the warnings, so that a validator that is down does not fill the log. */
const WARN_EVERY_MS = 60_000;

/** Checks players with validators. */
@Injectable()
export class PlayerValidatorsService implements OnApplicationShutdown {
  private readonly http = new AdapterHttp();
  private readonly known: Record<ValidatorName, ThrottledValidator>;

  constructor(@Inject(CONFIG) { g2bulkBaseUrl }: Config, @Inject(LOGGER) logger: Logger) {
    const throttled = (name: ValidatorName, validator: PlayerValidator): ThrottledValidator =>
      new ThrottledValidator(validator, (reason, game) =>
        logger.warn({ validator: name, game, reason }, 'player validation is unavailable: players count as unknown'),
      );
    this.known = { g2bulk: throttled('g2bulk', new G2BulkValidator(this.http, g2bulkBaseUrl)) };
  }

  /** Returns within some seconds, and never rejects. */
  check({ validator, game }: PlayerCheck, player: Omit<PlayerQuery, 'game'>): Promise<PlayerVerdict> {
    return this.known[validator].check({ ...player, game });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }
}

/** A validator with a limit of calls in flight. It gets no calls while it asks us to wait. */
class ThrottledValidator {
  private inFlight = 0;
  private restsUntilMs = 0;
  private warnedAtMs = -Infinity;

  constructor(
    private readonly validator: PlayerValidator,
    private readonly warn: (reason: string, game: string) => void,
  ) {}

  async check(query: PlayerQuery): Promise<PlayerVerdict> {
    if (this.inFlight >= MAX_IN_FLIGHT || performance.now() < this.restsUntilMs) return UNKNOWN_PLAYER;
    this.inFlight++;
    try {
      const answer = await this.validator.check(query);
      return 'verdict' in answer ? answer : this.noteFailure(answer, query);
    } finally {
      this.inFlight--;
    }
  }

  private noteFailure({ reason, restMs = 0 }: NotReported, { game }: PlayerQuery): PlayerVerdict {
    const nowMs = performance.now();
    this.restsUntilMs = Math.max(this.restsUntilMs, nowMs + restMs);
    if (nowMs - this.warnedAtMs >= WARN_EVERY_MS) {
      this.warnedAtMs = nowMs;
      this.warn(reason, game);
    }
    return UNKNOWN_PLAYER;
  }
}
