import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiParam, ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Caller } from '../auth/caller.js';
import { CurrentCaller } from '../auth/api-key.guard.js';
import { ApiRoute } from '../core/http/api-route.decorator.js';
import type { Page } from '../core/pagination.js';
import { EventDto, EventListQuery } from './event.dto.js';
import { EventsService } from './events.service.js';

@ApiTags('Events')
@ApiSecurity('api-key')
@Controller('v1/events')
export class EventsController {
  constructor(private readonly events: EventsService) {}

  @Get()
  @ApiRoute({
    summary: 'List your events, oldest first',
    description:
      'Lists the events that webhooks receive. You need no webhook for it. A new event always comes after all events that you ' +
      'have read: to continue later, send the `id` of the last event as `after`.',
    answer: { pageOf: EventDto, description: 'A page of events' },
    errors: ['BAD_REQUEST'],
  })
  list(@CurrentCaller() caller: Caller, @Query() query: EventListQuery): Promise<Page<EventDto>> {
    return this.events.list(caller.merchantId, query);
  }

  @Get(':id')
  @ApiParam({ name: 'id', description: 'The event’s id', example: 'evt_3bqFzJ0WnXrT5c8HsVdK2m' })
  @ApiRoute({
    summary: 'See an event',
    description: 'By its `id`, which webhooks carry as `webhook-id`.',
    answer: { type: EventDto },
    errors: ['BAD_REQUEST', 'NOT_FOUND'],
  })
  get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<EventDto> {
    return this.events.get(caller.merchantId, id);
  }
}
