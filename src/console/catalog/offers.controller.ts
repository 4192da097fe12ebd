import { Body, Controller, Delete, Get, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Page } from '../../core/pagination.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { OfferDto, OfferNameDto, OffersQueryDto, SetOfferDto } from './offer.dto.js';
import { OfferViewsService } from './offer-views.service.js';
import { ProductDetailDto } from './product.dto.js';

@ApiTags('Offers')
@Controller('api/offers')
export class ConsoleOffersController {
  constructor(private readonly offers: OfferViewsService) {}

  @Get()
  @ConsoleRoute('products.read', 'Offers by product, in the order in which they are tried', [OfferDto])
  list(@CurrentCaller() caller: Caller, @Query() query: OffersQueryDto): Promise<Page<OfferDto>> {
    return this.offers.list(caller, query);
  }

  @Put()
  @ConsoleRoute('offers.set', 'Add an offer, or change the given members of an offer', ProductDetailDto, {
    description: 'Answers the product of the offer. 409 if the offer was changed since `expected_updated_at`.',
  })
  set(@CurrentCaller() caller: Caller, @Body() body: SetOfferDto): Promise<ProductDetailDto> {
    return this.offers.set(caller, body);
  }

  @Delete()
  @ConsoleRoute('offers.set', 'Remove an offer; units that already use it continue', ProductDetailDto, {
    description: 'Answers the product of the offer.',
  })
  remove(@CurrentCaller() caller: Caller, @Query() query: OfferNameDto): Promise<ProductDetailDto> {
    return this.offers.remove(caller, query);
  }
}
