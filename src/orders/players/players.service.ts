import { Injectable } from '@nestjs/common';
import { ListingsRepository, type Customer } from '../../catalog/listings.repository.js';
import { invalidRequest } from '../../core/errors.js';
import { present } from '../../core/invariant.js';
import { Metrics } from '../../core/metrics.js';
import { Database } from '../../database/database.js';
import { toContent, type OrderContent } from '../order-content.js';
import { readPlayerCheck, type PlayerCheck } from '../../catalog/player-validators/player-validator.js';
import {
  INVALID_PLAYER,
  UNKNOWN_PLAYER,
  type PlayerVerdict,
} from '../../catalog/player-validators/player-validator.js';
import { PlayerValidatorsService } from '../../catalog/player-validators/player-validators.service.js';
import type { CheckPlayerDto } from './check-player.dto.js';
import { isExcluded, problemsOf, sandboxVerdict } from './player-rules.js';
import { VerdictCache } from './verdict-cache.js';

/** Of each API key, in each API process (contract, section 3). */
export const CHECKS_PER_SECOND = 5;

/** Tells merchants what can be found out about a player before they order. */
@Injectable()
export class PlayersService {
  /** What is being asked: those who ask the same meanwhile share the answer. */
  private readonly asked = new Map<string, Promise<PlayerVerdict>>();

  constructor(
    private readonly database: Database,
    private readonly listings: ListingsRepository,
    private readonly validators: PlayerValidatorsService,
    private readonly cache: VerdictCache,
    private readonly metrics: Metrics,
  ) {}

  /** @throws BAD_REQUEST where an order would be refused for its SKU, or for an id that the product needs. */
  async check({ merchantId, sandbox }: Customer, body: CheckPlayerDto): Promise<PlayerVerdict> {
    const { sku } = body;
    const content = toContent({ ...body, reference_id: '', items: [{ sku }] });
    const [offers, setting] = await Promise.all([
      this.listings.findOrderable(this.database, [{ merchant_id: merchantId, sku, many: false, sandbox }]),
      sandbox ? null : this.listings.findPlayerCheck(sku),
    ]);
    const product = present(offers[0], 'what is asked for has a row');
    const [problem, ...more] = problemsOf(content, sku, product);
    if (problem) throw invalidRequest([problem, ...more]);
    if (sandbox) return sandboxVerdict(content, sku);

    if (isExcluded(content, offers)) return this.told('pattern', INVALID_PLAYER);
    // A check of a later version, which another process may know, is nobody's here.
    const check = setting === null ? null : readPlayerCheck(setting);
    return check ? this.ask(check, content) : this.told('nobody', UNKNOWN_PLAYER);
  }

  private async ask(check: PlayerCheck, content: OrderContent): Promise<PlayerVerdict> {
    const key = this.cache.keyOf([check.validator, check.game, content.userId, content.serverId]);
    const underWay = this.asked.get(key);
    if (underWay) return this.told('cache', await underWay);
    const asking = this.askOrRemember(key, check, content);
    this.asked.set(key, asking);
    try {
      return await asking;
    } finally {
      this.asked.delete(key);
    }
  }

  private async askOrRemember(
    key: string,
    check: PlayerCheck,
    { userId, serverId }: OrderContent,
  ): Promise<PlayerVerdict> {
    const kept = await this.cache.get(key);
    if (kept) return this.told('cache', kept);
    const verdict = await this.validators.check(check, { userId, serverId });
    await this.cache.put(key, verdict);
    return this.told(check.validator, verdict);
  }

  private told(source: string, verdict: PlayerVerdict): PlayerVerdict {
    this.metrics.playerChecked(source, verdict.verdict);
    return verdict;
  }
}
