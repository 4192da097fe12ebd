import { Body, Controller, Delete, Get, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Page } from '../../core/pagination.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { BatchPreviewDto, BatchResolvedDto, NamedUnitsDto, ResolveManyDto } from './decision.dto.js';
import { ConsoleOrdersService } from './console-orders.service.js';
import { DecisionsService } from './decisions.service.js';
import { ReviewQueryDto, SearchQueryDto } from './order-queries.dto.js';
import { ClaimedDto, FoundDto, ReviewUnitDto } from './review.dto.js';
import { OrderNumber, UnitName, type Unit } from './unit-name.js';

@ApiTags('Review')
@Controller('api')
export class ReviewController {
  constructor(
    private readonly orders: ConsoleOrdersService,
    private readonly decisions: DecisionsService,
  ) {}

  @Get('review')
  @ConsoleRoute('orders.read', 'Units in review, then units in doubt, the oldest orders first', [ReviewUnitDto])
  list(@CurrentCaller() caller: Caller, @Query() query: ReviewQueryDto): Promise<Page<ReviewUnitDto>> {
    return this.orders.listReview(caller, query);
  }

  @Post('review/resolution/preview')
  @ConsoleRoute(
    'orders.resolve',
    'Show what one decision about several units would settle; changes nothing',
    BatchPreviewDto,
  )
  preview(@Body() body: NamedUnitsDto): Promise<BatchPreviewDto> {
    return this.decisions.preview(body);
  }

  @Post('review/resolution')
  @ConsoleRoute(
    'orders.resolve',
    'Settle up to 100 units by one decision, all of one supplier or of one order',
    BatchResolvedDto,
    {
      description:
        'Each unit is settled by itself, and has its own entry in the log. `left` has the units that were not settled, such as ' +
        'units that another operator settled meanwhile. Asks for confirmation if the prices of all units add up to more than ' +
        '`confirm_above`.',
    },
  )
  resolve(@CurrentCaller() caller: Caller, @Body() body: ResolveManyDto): Promise<BatchResolvedDto> {
    return this.decisions.resolveMany(caller, body);
  }

  @Put('review/:number/:unit/claim')
  @ConsoleRoute('orders.resolve', 'Claim a unit, or extend the claim: ten minutes from now', ClaimedDto, {
    description:
      'A claim tells other operators who looks after the unit. 409 while another operator’s claim is valid. Every operator may still settle the unit.',
  })
  claim(@CurrentCaller() caller: Caller, @OrderNumber() number: string, @UnitName() unit: Unit): Promise<ClaimedDto> {
    return this.orders.claim(caller, number, unit);
  }

  @Delete('review/:number/:unit/claim')
  @ConsoleRoute('orders.resolve', 'End your claim of a unit', ClaimedDto)
  release(@CurrentCaller() caller: Caller, @OrderNumber() number: string, @UnitName() unit: Unit): Promise<ClaimedDto> {
    return this.orders.release(caller, number, unit);
  }

  @Get('search')
  @ConsoleRoute('orders.read', 'Find orders, merchants and products by a term, at most five of each', FoundDto)
  search(@CurrentCaller() caller: Caller, @Query() { q }: SearchQueryDto): Promise<FoundDto> {
    return this.orders.search(caller, q);
  }
}
