import { Injectable } from '@nestjs/common';
import { bySku, costInUse } from '../../catalog/offer-in-use.js';
import { OffersService } from '../../catalog/offers.service.js';
import { PriceAdjustmentsService, type Adjustment } from '../../catalog/price-adjustments.service.js';
import type { PriceDifference } from '../../catalog/prices.service.js';
import type { ProductDifference } from '../../catalog/product-actions.js';
import { ProductListingService } from '../../catalog/product-listing.service.js';
import { ProductImportsService, versionOf, type ImportPreview } from '../../catalog/product-imports.service.js';
import { ChangedMeanwhile } from '../../core/errors.js';
import { present } from '../../core/invariant.js';
import { formatBaht, optionalBaht, parseBaht, parsePercentage, type Satang } from '../../core/money.js';
import type { Caller } from '../access/caller.js';
import type {
  AdjustmentDto,
  AdjustmentPreviewDto,
  ApplyAdjustmentDto,
  ImportedDto,
  ImportQueryDto,
  PriceChangeDto,
  PriceImportPreviewDto,
  ProductChangeDto,
  ProductImportPreviewDto,
} from './import.dto.js';
import { textOf, toMemberChangeDto } from './product.mapper.js';
import { toProductFilter } from './product-views.service.js';

const MAX_CHANGES = 2_000;
/** The name of a pasted file in the audit log. */
const PASTED = 'pasted';

/** Changes many products or prices at once. A preview shows the changes, and the import makes exactly these changes. */
@Injectable()
export class CatalogImportsService {
  constructor(
    private readonly imports: ProductImportsService,
    private readonly adjustments: PriceAdjustmentsService,
    private readonly listing: ProductListingService,
    private readonly offers: OffersService,
  ) {}

  async previewProducts(file: Buffer): Promise<ProductImportPreviewDto> {
    const preview = await this.imports.previewProducts(file);
    const costs = await this.costsOf(preview.differences);
    return toPreviewDto(preview, isAdded, (each) => toProductChangeDto(each, costs));
  }

  /** @throws BAD_REQUEST for a file with a problem; CONFLICT if the changes differ from the preview's. */
  async importProducts(caller: Caller, file: Buffer, query: ImportQueryDto): Promise<ImportedDto> {
    return counted(await this.imports.importProducts(file, agreed(caller, query)), isAdded);
  }

  async previewPrices(caller: Caller, file: Buffer): Promise<PriceImportPreviewDto> {
    const preview = await this.imports.previewPrices(file);
    const costs = await this.costsOf(preview.differences);
    return toPreviewDto(preview, isFirst, (each) => toPriceChangeDto(each, costs, caller));
  }

  /** @throws as {@link importProducts}. */
  async importPrices(caller: Caller, file: Buffer, query: ImportQueryDto): Promise<ImportedDto> {
    return counted(await this.imports.importPrices(file, agreed(caller, query)), isFirst);
  }

  async previewAdjustment(caller: Caller, given: AdjustmentDto): Promise<AdjustmentPreviewDto> {
    const { adjustment, skus } = await this.adjustmentOf(given);
    const differences = await this.adjustments.compare(adjustment);
    const list = differences.filter(({ merchant_id: id }) => id === null);
    const costs = await this.costsOf(list);
    const changes = list.map((each) => toPriceChangeDto(each, costs, caller));
    return {
      version: versionOf(differences),
      changes: changes.slice(0, MAX_CHANGES),
      changed: list.length,
      unchanged: skus.length - list.length,
      below_cost: changes.filter(({ below_cost: isBelow }) => isBelow).length,
      own_prices: differences.length - list.length,
    };
  }

  /** Changes all prices or none. @throws BAD_REQUEST; CONFLICT if the changes differ from the preview's. */
  async adjust(caller: Caller, { version, reason, ...given }: ApplyAdjustmentDto): Promise<ImportedDto> {
    const { adjustment } = await this.adjustmentOf(given);
    const expected = await this.adjustments.compare(adjustment);
    if (versionOf(expected) !== version) throw new ChangedMeanwhile('the prices changed meanwhile');
    const done = await this.adjustments.apply(adjustment, { by: caller.actor(reason), expected });
    return { added: 0, changed: done.filter(({ merchant_id: id }) => id === null).length };
  }

  private async adjustmentOf(given: AdjustmentDto): Promise<{ adjustment: Adjustment; skus: string[] }> {
    const percent = present(parsePercentage(given.percent), 'a percentage was checked');
    const skus = await this.listing.skus(toProductFilter(given));
    const roundTo = optionalBaht(given.round_to);
    return { adjustment: { percent, skus, roundTo }, skus };
  }

  private async costsOf(differences: readonly { sku: string }[]): Promise<Costs> {
    const skus = [...new Set(differences.map(({ sku }) => sku))];
    const offers = skus.length === 0 ? [] : await this.offers.listOf(skus);
    const costs = new Map<string, Satang>();
    for (const [sku, own] of bySku(offers)) {
      const cost = costInUse(own);
      if (cost !== null) costs.set(sku, cost);
    }
    return costs;
  }
}

const agreed = (caller: Caller, { version, file = PASTED, reason }: ImportQueryDto) => ({
  by: caller.actor(reason),
  name: file,
  version,
});

const isAdded = ({ change }: { change: string }): boolean => change === 'added';

/** Whether the merchant had no own price before. */
const isFirst = ({ old }: PriceDifference): boolean => old === null;

/** Counts the differences that add a product or a price, and the differences that change one. */
function counted<Difference>(differences: Difference[], adds: (difference: Difference) => boolean): ImportedDto {
  const added = differences.filter(adds).length;
  return { added, changed: differences.length - added };
}

function toPreviewDto<Difference, Change extends PriceMove>(
  { version, differences, problems, lines }: ImportPreview<Difference>,
  adds: (difference: Difference) => boolean,
  toChange: (difference: Difference) => Change,
) {
  const changes = differences.map(toChange);
  return {
    version,
    ...counted(differences, adds),
    unchanged: lines - differences.length,
    problems,
    problem_count: problems.length,
    changes: changes.sort(byMove).slice(0, MAX_CHANGES),
    moved_far: changes.filter(({ price_moves_percent: percent }) => isFar(percent)).length,
    below_cost: changes.filter(({ below_cost: isBelow }) => isBelow).length,
  };
}

/** The current costs of products by SKU, without products of unknown cost. */
type Costs = ReadonlyMap<string, Satang>;

/** The members of a change that sort and count it in a preview. */
type PriceMove = Pick<PriceChangeDto, 'price_moves_percent' | 'below_cost'>;

/** Sorts the farthest moves first; prices that do not move keep their order. */
const byMove = (one: PriceMove, other: PriceMove): number =>
  Math.abs(other.price_moves_percent ?? 0) - Math.abs(one.price_moves_percent ?? 0);

function toProductChangeDto({ sku, change, changes }: ProductDifference, costs: Costs): ProductChangeDto {
  const price = changes.find(({ member }) => member === 'price');
  const [old, now] = [textOf(price?.old), textOf(price?.new)];
  return {
    sku,
    change,
    changes: changes.map(toMemberChangeDto),
    price_moves_percent: change === 'added' ? null : movesBy(old, now),
    below_cost: isBelow(now, costs.get(sku)),
  };
}

function toPriceChangeDto(difference: PriceDifference, costs: Costs, caller: Caller): PriceChangeDto {
  const { sku, old, new: now } = difference;
  const cost = costs.get(sku);
  const seen = caller.may('costs.read') ? cost : undefined;
  const price = now === null ? null : parseBaht(now);
  return {
    ...difference,
    price_moves_percent: movesBy(old, now),
    cost_baht: seen === undefined ? null : formatBaht(seen),
    margin_baht: seen === undefined || price === null ? null : formatBaht(price - seen),
    below_cost: isBelow(now, cost),
  };
}

/** The change of a price in percent, cut to two decimals. Null without a new price, or without an old price above 0. */
function movesBy(old: string | null, now: string | null): number | null {
  const before = old === null ? null : parseBaht(old);
  const after = now === null ? null : parseBaht(now);
  if (before === null || after === null || before === 0n) return null;
  return Number(((after - before) * 10_000n) / before) / 100;
}

/** A price moves far if it moves by more than this percentage. */
const FAR_PERCENT = 20;

const isFar = (percent: number | null): boolean => percent !== null && Math.abs(percent) > FAR_PERCENT;

/** Whether a sale at this price loses money. False if the price or the cost is unknown. */
function isBelow(price: string | null, cost: Satang | undefined): boolean {
  const amount = price === null ? null : parseBaht(price);
  return amount !== null && cost !== undefined && amount < cost;
}
