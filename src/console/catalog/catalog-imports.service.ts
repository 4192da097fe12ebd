import { Injectable } from '@nestjs/common';
import { bySku, costInUse } from '../../catalog/offer-in-use.js';
import { OffersService } from '../../catalog/offers.service.js';
import { PriceAdjustmentsService, type Adjustment } from '../../catalog/price-adjustments.service.js';
import type { PriceDifference } from '../../catalog/prices.service.js';
import { ProductListingService } from '../../catalog/product-listing.service.js';
import { ProductImportsService, versionOf, type ImportPreview } from '../../catalog/product-imports.service.js';
import { ChangedMeanwhile } from '../../core/errors.js';
import { present } from '../../core/invariant.js';
import { checkedBaht, parsePercentage, type Satang } from '../../core/money.js';
import type { Caller } from '../access/caller.js';
import type {
  AdjustmentDto,
  AdjustmentPreviewDto,
  ApplyAdjustmentDto,
  ImportedDto,
  ImportQueryDto,
  PriceImportPreviewDto,
  ProductImportPreviewDto,
} from './import.dto.js';
import { byMove, movesFar, toPriceChangeDto, toProductChangeDto, type Costs, type PriceMove } from './price-changes.js';
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
    const changes = preview.differences.map((each) => toProductChangeDto(each, costs));
    return toPreviewDto(preview, preview.differences.filter(isAdded).length, changes);
  }

  /** @throws BAD_REQUEST for a file with a problem; CONFLICT where the changes differ from the preview's. */
  async importProducts(caller: Caller, file: Buffer, query: ImportQueryDto): Promise<ImportedDto> {
    const done = await this.imports.importProducts(file, agreed(caller, query));
    const added = done.filter(isAdded).length;
    return { added, changed: done.length - added };
  }

  async previewPrices(caller: Caller, file: Buffer): Promise<PriceImportPreviewDto> {
    const preview = await this.imports.previewPrices(file);
    const costs = await this.costsOf(preview.differences);
    const changes = preview.differences.map((each) => toPriceChangeDto(each, costs, caller));
    return toPreviewDto(preview, preview.differences.filter(isFirst).length, changes);
  }

  /** @throws as {@link importProducts}. */
  async importPrices(caller: Caller, file: Buffer, query: ImportQueryDto): Promise<ImportedDto> {
    const done = await this.imports.importPrices(file, agreed(caller, query));
    const added = done.filter(isFirst).length;
    return { added, changed: done.length - added };
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

  /** Changes all prices or none. @throws BAD_REQUEST; CONFLICT where the changes differ from the preview's. */
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
    const roundTo = given.round_to === undefined ? undefined : checkedBaht(given.round_to);
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

/** @param added the number of changes that add a product or a price. */
const toPreviewDto = <Change extends PriceMove>(preview: ImportPreview<unknown>, added: number, changes: Change[]) => ({
  version: preview.version,
  added,
  changed: preview.differences.length - added,
  unchanged: preview.lines - preview.differences.length,
  problems: preview.problems,
  problem_count: preview.problems.length,
  changes: changes.sort(byMove).slice(0, MAX_CHANGES),
  moved_far: changes.filter(movesFar).length,
  below_cost: changes.filter(({ below_cost: isBelow }) => isBelow).length,
});
