import { Injectable } from '@nestjs/common';
import type { OfferDefinition } from '../../catalog/offer-definition.js';
import { bySku, offerInUse } from '../../catalog/offer-in-use.js';
import type { ListedOffer } from '../../catalog/offers.repository.js';
import { OffersService } from '../../catalog/offers.service.js';
import { parseMicros } from '../../core/cost-money.js';
import { pick } from '../../core/members.js';
import { sliceOf, type Page } from '../../core/pagination.js';
import type { Caller } from '../access/caller.js';
import type { OfferDto, OfferNameDto, OffersQueryDto, SetOfferDto } from './offer.dto.js';
import type { ProductDetailDto } from './product.dto.js';
import { ProductViewsService } from './product-views.service.js';
import { toOfferDto } from './product.mapper.js';

const OFFERS_PER_PAGE = 100;

const matches = ({ sku, supplier_sku: theirs }: ListedOffer, q: string): boolean =>
  [sku, theirs].some((each) => each.toLowerCase().includes(q.toLowerCase()));

/** Offers: the suppliers' SKUs that can fulfil products. */
@Injectable()
export class OfferViewsService {
  constructor(
    private readonly offers: OffersService,
    private readonly products: ProductViewsService,
  ) {}

  /** @throws NOT_FOUND for the product or the supplier; BAD_REQUEST for an invalid cursor. */
  async list(caller: Caller, { q, cursor, ...which }: OffersQueryDto): Promise<Page<OfferDto>> {
    const all = await this.offers.list(which);
    const listed = all.filter((offer) => q === undefined || matches(offer, q));
    const { data, ...page } = sliceOf(listed, cursor, OFFERS_PER_PAGE);
    // With the offers of only one supplier, it is not known which offer of a product is in use.
    const ofEach = which.supplier === undefined ? all : await this.offers.listOf(data.map(({ sku }) => sku));
    const offersOf = bySku(ofEach);
    const inUse = ({ sku }: ListedOffer): ListedOffer | null => offerInUse(offersOf.get(sku) ?? []);
    return { ...page, data: data.map((offer) => toOfferDto(offer, caller, { inUse: inUse(offer) })) };
  }

  /** Adds an offer, or changes the given members of it. @returns the product. @throws NOT_FOUND; BAD_REQUEST; CONFLICT */
  async set(caller: Caller, given: SetOfferDto): Promise<ProductDetailDto> {
    const { expected_updated_at: at, expected_routable: routable, reason } = given;
    const expected = { updatedAt: at ? new Date(at) : null, routable };
    await this.offers.set(toDefinition(given), caller.actor(reason), expected);
    return this.products.show(caller, given.sku);
  }

  /** @returns the product. */
  async remove(caller: Caller, { sku, supplier, supplier_sku: supplierSku }: OfferNameDto): Promise<ProductDetailDto> {
    await this.offers.remove({ sku, supplier, supplierSku }, caller.actor());
    return this.products.show(caller, sku);
  }
}

const toDefinition = ({ cost, ...given }: SetOfferDto): OfferDefinition => ({
  ...pick(given, 'sku', 'supplier', 'priority', 'currency', 'active'),
  supplierSku: given.supplier_sku,
  costMicros: typeof cost === 'string' ? (parseMicros(cost) ?? undefined) : cost,
  playerTemplate: given.player_template,
  guardPercent: given.guard_percent,
});
