import { Injectable } from '@nestjs/common';
import { ListingsRepository, type Customer, type OrderableProduct } from '../../catalog/listings.repository.js';
import { invalidRequest, type ErrorDetail } from '../../core/errors.js';
import { present } from '../../core/invariant.js';
import { Metrics } from '../../core/metrics.js';
import { Database } from '../../database/database.js';
import { toContent, type OrderContent } from '../order-content.js';
import { readPlayerCheck, type PlayerCheck } from '../../catalog/player-validators/player-validator.js';
import {
  INVALID_PLAYER,
  UNKNOWN_PLAYER,
  type PlayerVerdict,
  VALID_PLAYER,
} from '../../catalog/player-validators/player-validator.js';
import { PlayerValidatorsService } from '../../catalog/player-validators/player-validators.service.js';
import type { CheckPlayerDto } from './check-player.dto.js';
import { VerdictCache } from './verdict-cache.js';
import { behaviourOf } from '../../suppliers/sandbox/sandbox-behaviours.js';
import { findProblems, takesPlayer } from '../placement-rules.js';

/** The limit of each API key (contract, section 5). All API processes count together while Redis can be reached. */
export const CHECKS_PER_SECOND = 5;

/** Checks players before merchants order for them. */
@Injectable()
export class PlayersService {
  /** Checks in progress. Equal requests share one check. */
  private readonly pending = new Map<string, Promise<PlayerVerdict>>();

  constructor(
    private readonly database: Database,
    private readonly listings: ListingsRepository,
    private readonly validators: PlayerValidatorsService,
    private readonly cache: VerdictCache,
    private readonly metrics: Metrics,
  ) {}

  /** @throws BAD_REQUEST if the product is not listed, or the body lacks an id that the product needs. */
  async check({ merchantId, sandbox }: Customer, body: CheckPlayerDto): Promise<PlayerVerdict> {
    const { sku } = body;
    const content = toContent({ ...body, reference_id: '', items: [{ sku }] });
    const [offers, setting] = await Promise.all([
      this.listings.listOrderable(this.database, [{ merchant_id: merchantId, sku, many: false, sandbox }]),
      sandbox ? null : this.listings.findPlayerCheck(sku),
    ]);
    const product = present(offers[0], 'every queried product has a row');
    const [problem, ...more] = problemsOf(content, sku, product);
    if (problem) throw invalidRequest([problem, ...more]);
    if (sandbox) return sandboxVerdict(content, sku);

    if (isExcluded(content, offers)) return this.counted('pattern', INVALID_PLAYER);
    // A newer version may have written a check that this version cannot read. Then the product counts as one without a validator.
    const check = setting === null ? null : readPlayerCheck(setting);
    return check ? this.checkOnce(check, content) : this.counted('nobody', UNKNOWN_PLAYER);
  }

  private async checkOnce(check: PlayerCheck, content: OrderContent): Promise<PlayerVerdict> {
    const key = this.cache.keyOf([check.validator, check.game, content.userId, content.serverId]);
    const pending = this.pending.get(key);
    if (pending) return this.counted('cache', await pending);
    const checking = this.findOrCheck(key, check, content);
    this.pending.set(key, checking);
    try {
      return await checking;
    } finally {
      this.pending.delete(key);
    }
  }

  private async findOrCheck(
    key: string,
    check: PlayerCheck,
    { userId, serverId }: OrderContent,
  ): Promise<PlayerVerdict> {
    const cached = await this.cache.get(key);
    if (cached) return this.counted('cache', cached);
    const verdict = await this.validators.check(check, { userId, serverId });
    await this.cache.put(key, verdict);
    return this.counted(check.validator, verdict);
  }

  private counted(source: string, verdict: PlayerVerdict): PlayerVerdict {
    this.metrics.playerChecked(source, verdict.verdict);
    return verdict;
  }
}

/** The beginning of each field name in an order's first line. */
const AT = 'items[0].';

/**
 * Finds the problems that an order for this player would have, with two exceptions. That no offer is routable does not
 * matter for a check. Player ids that fit no offer are a verdict, not a problem ({@link isExcluded}).
 */
function problemsOf(content: OrderContent, sku: string, product: OrderableProduct): ErrorDetail[] {
  const bought = { ...product, supplier_id: product.supplier_id ?? 0 };
  const line = { sku, quantity: 1, product: bought, isPlayerExcluded: false };
  return findProblems(content, [line]).map(({ field, code, message }) => ({
    field: withoutPlace(field),
    code,
    message: withoutPlace(message),
  }));
}

/** Drops the prefix: a check has one product and no lines. */
const withoutPlace = (text: string): string => (text.startsWith(AT) ? text.slice(AT.length) : text);

/** Whether no routable offer takes player ids of this form. @param offers from `listOrderable`. */
const isExcluded = (content: OrderContent, offers: readonly OrderableProduct[]): boolean =>
  !offers.some((offer) => takesPlayer(offer, content));

/** The verdict for a sandbox merchant. It agrees with the result of an order, and the product needs no validator for it. */
function sandboxVerdict({ userId }: OrderContent, sku: string): PlayerVerdict {
  const { result } = behaviourOf(userId, sku, 1);
  return result.kind === 'refused' && result.code === 'INVALID_PLAYER' ? INVALID_PLAYER : VALID_PLAYER;
}
