import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Page } from '../../core/pagination.js';
import { CurrentCaller, type Caller } from '../access/caller.js';
import { ConsoleRoute } from '../access/console-route.decorator.js';
import { PathId } from '../access/parameters.js';
import { RevealedDto } from '../orders/decision.dto.js';
import { ReasonDto } from '../reason.dto.js';
import { ReversalViewsService } from './reversal-views.service.js';
import { ClosingDto, ReversalDto, ReversalsQueryDto } from './reversal.dto.js';

@ApiTags('Suppliers')
@Controller('api/reversals')
export class ConsoleReversalsController {
  constructor(private readonly reversals: ReversalViewsService) {}

  @Get()
  @ConsoleRoute('suppliers.read', 'Discrepancies between suppliers’ reports and our books, newest first', [ReversalDto])
  list(@CurrentCaller() caller: Caller, @Query() query: ReversalsQueryDto): Promise<Page<ReversalDto>> {
    return this.reversals.list(caller, query);
  }

  @Post(':id/closing')
  @ConsoleRoute(
    'reversals.close',
    'Close a discrepancy, with or without a credit to the order’s merchant',
    ReversalDto,
    {
      description:
        'Asks for confirmation. The credit has the reference `reversal-<id>-<when the discrepancy opened>`, so a repeated request gives it once.',
    },
  )
  close(
    @CurrentCaller() caller: Caller,
    @PathId('reversal') id: number,
    @Body() body: ClosingDto,
  ): Promise<ReversalDto> {
    return this.reversals.close(caller, id, body);
  }

  @Post(':id/code')
  @ConsoleRoute(
    'codes.reveal',
    'Show what was handed over for the purchase of a discrepancy, such as its code',
    RevealedDto,
    {
      description:
        'The audit log records this before the code is shown. Asks for confirmation. 404 if nothing was handed over.',
    },
  )
  reveal(
    @CurrentCaller() caller: Caller,
    @PathId('reversal') id: number,
    @Body() { reason }: ReasonDto,
  ): Promise<RevealedDto> {
    return this.reversals.reveal(caller, id, reason);
  }
}
