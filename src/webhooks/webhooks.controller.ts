import { Body, Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiSecurity, ApiTags } from '@nestjs/swagger';
import type { Caller } from '../auth/caller.js';
import { CurrentCaller } from '../auth/api-key.guard.js';
import { ApiRoute } from '../core/http/api-route.decorator.js';
import { EVENT_KINDS } from '../events/event.entity.js';
import { WebhookId } from './path-id.decorators.js';
import { CreatedWebhookDto, DeletedWebhookDto, WebhookDto } from './webhook.dto.js';
import { CreateWebhookDto, UpdateWebhookDto } from './webhook-requests.dto.js';
import { WebhooksService } from './webhooks.service.js';

const URL = 'https://shop.example/webhooks/topup';
const CREATE_EXAMPLES = {
  'With a generated secret': { url: URL },
  'Of every event, with few retries': {
    url: URL,
    secret: 'a-secret-of-your-own',
    events: EVENT_KINDS,
    max_retries: 2,
    retry_delay: 30,
  },
};
const UPDATE_EXAMPLES = {
  'Pause it': { status: 'inactive' },
  'Replace the secret within a day': { secret: 'another-secret-of-yours', rotation_overlap: 86_400 },
};

@ApiTags('Webhooks')
@ApiSecurity('api-key')
@Controller('v1/merchant-webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @ApiRoute({
    summary: 'List your webhooks',
    description: 'All of them, including inactive ones; there are at most 20.',
    answer: { type: [WebhookDto] },
    errors: [],
  })
  listWebhooks(@CurrentCaller() caller: Caller): Promise<WebhookDto[]> {
    return this.webhooks.list(caller.merchantId);
  }

  @Post()
  @ApiRoute({
    summary: 'Register a webhook',
    description:
      'Without a `secret`, the service generates one, and only this answer contains it. Deliveries are signed with the ' +
      'secret, according to Standard Webhooks 1.0.',
    body: { type: CreateWebhookDto, examples: CREATE_EXAMPLES },
    status: 201,
    answer: { type: CreatedWebhookDto },
    errors: ['BAD_REQUEST', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  })
  createWebhook(@CurrentCaller() caller: Caller, @Body() body: CreateWebhookDto): Promise<CreatedWebhookDto> {
    return this.webhooks.create(caller.merchantId, body);
  }

  @Get(':id')
  @ApiRoute({
    summary: 'See a webhook',
    description: 'Only the beginning of its secret is shown.',
    answer: { type: WebhookDto },
    errors: ['BAD_REQUEST', 'NOT_FOUND'],
  })
  getWebhook(@CurrentCaller() caller: Caller, @WebhookId() id: number): Promise<WebhookDto> {
    return this.webhooks.get(caller.merchantId, id);
  }

  @Patch(':id')
  @ApiRoute({
    summary: 'Change a webhook',
    description:
      'Only the members of the request change. If you make the webhook inactive, its waiting deliveries are cancelled, ' +
      'and they stay cancelled if you make it active again.',
    body: { type: UpdateWebhookDto, examples: UPDATE_EXAMPLES },
    answer: { type: WebhookDto },
    errors: ['BAD_REQUEST', 'NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  })
  updateWebhook(
    @CurrentCaller() caller: Caller,
    @WebhookId() id: number,
    @Body() body: UpdateWebhookDto,
  ): Promise<WebhookDto> {
    return this.webhooks.update(caller.merchantId, id, body);
  }

  @Delete(':id')
  @ApiRoute({
    summary: 'Delete a webhook',
    description: 'Its waiting deliveries are cancelled.',
    answer: { type: DeletedWebhookDto },
    errors: ['BAD_REQUEST', 'NOT_FOUND'],
  })
  async deleteWebhook(@CurrentCaller() caller: Caller, @WebhookId() id: number): Promise<DeletedWebhookDto> {
    await this.webhooks.delete(caller.merchantId, id);
    return { success: true, message: `Webhook ${id} was deleted` };
  }
}
