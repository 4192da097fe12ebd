import { Body, Controller, Delete, Get, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { OfferDefinition } from '../../catalog/offer-definition.js';
import { bySku, offerInUse } from '../../catalog/offer-in-use.js';
import type { ListedOffer } from '../../catalog/offers.repository.js';
import { OffersService } from '../../catalog/offers.service.js';
import { parseMicros } from '../../core/cost-money.js';
import { pick } from '../../core/members.js';
import { sliceOf, type Page } from '../../core/pagination.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { OfferDto, OfferNameDto, OffersQueryDto, SetOfferDto } from './offer.dto.js';
import { ProductDetailDto } from './product.dto.js';
import { toOfferDto } from './product.mapper.js';
import { ProductViewsService } from './product-views.service.js';

const OFFERS_PER_PAGE = 100;

/** Offers: the suppliers' SKUs that can fulfil products. */
@ApiTags('Offers')
@Controller('api/offers')
export class ConsoleOffersController {
  constructor(
    private readonly offers: OffersService,
    private readonly products: ProductViewsService,
  ) {}

  @Get()
  @ConsoleRoute('products.read', 'Offers by product, in the order in which they are used', [OfferDto])
  async list(
    @CurrentCaller() caller: Caller,
    @Query() { q, cursor, ...which }: OffersQueryDto,
  ): Promise<Page<OfferDto>> {
    const all = await this.offers.list(which);
    const listed = all.filter((offer) => q === undefined || matches(offer, q.toLowerCase()));
    const { data, ...page } = sliceOf(listed, cursor, OFFERS_PER_PAGE);
    // With the offers of only one supplier, it is not known which offer of a product is in use.
    const ofEach = which.supplier === undefined ? all : await this.offers.listOf(data.map(({ sku }) => sku));
    const offersOf = bySku(ofEach);
    const inUse = ({ sku }: ListedOffer): ListedOffer | null => offerInUse(offersOf.get(sku) ?? []);
    return { ...page, data: data.map((offer) => toOfferDto(offer, caller, { inUse: inUse(offer) })) };
  }

  @Put()
  @ConsoleRoute('offers.set', 'Add an offer, or change the given members of an offer', ProductDetailDto, {
    description: 'Answers the product of the offer. 409 if the offer was changed since `expected_updated_at`.',
  })
  async set(@CurrentCaller() caller: Caller, @Body() body: SetOfferDto): Promise<ProductDetailDto> {
    const { expected_updated_at: at, expected_routable: routable, reason } = body;
    const expected = { updatedAt: at ? new Date(at) : null, routable };
    await this.offers.set(toDefinition(body), caller.actor(reason), expected);
    return this.products.show(caller, body.sku);
  }

  @Delete()
  @ConsoleRoute('offers.set', 'Remove an offer; units that already use it continue', ProductDetailDto, {
    description: 'Answers the product of the offer.',
  })
  async remove(
    @CurrentCaller() caller: Caller,
    @Query() { sku, supplier, supplier_sku: supplierSku }: OfferNameDto,
  ): Promise<ProductDetailDto> {
    await this.offers.remove({ sku, supplier, supplierSku }, caller.actor());
    return this.products.show(caller, sku);
  }
}

const matches = ({ sku, supplier_sku: theirs }: ListedOffer, part: string): boolean =>
  [sku, theirs].some((each) => each.toLowerCase().includes(part));

const toDefinition = ({ cost, ...given }: SetOfferDto): OfferDefinition => ({
  ...pick(given, 'sku', 'supplier', 'priority', 'currency', 'active'),
  supplierSku: given.supplier_sku,
  costMicros: typeof cost === 'string' ? (parseMicros(cost) ?? undefined) : cost,
  playerTemplate: given.player_template,
  guardPercent: given.guard_percent,
});
