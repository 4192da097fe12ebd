import { Body, Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiSecurity,
  ApiTags,
} from '@nestjs/swagger';
import type { Caller } from '../auth/api-key-verifier.js';
import { CurrentCaller } from '../auth/authentication.js';
import { ApiErrors } from '../core/http/api-errors.js';
import { WebhookId } from './path-ids.js';
import { CreatedWebhookDto, DeletedWebhookDto, WebhookDto } from './webhook.dto.js';
import { CreateWebhookDto, UpdateWebhookDto } from './webhook-requests.dto.js';
import { WebhooksService } from './webhooks.service.js';

const ApiWebhookId = (): MethodDecorator => ApiParam({ name: 'id', schema: { type: 'integer' }, example: 7 });

@ApiTags('Webhooks')
@ApiSecurity('api-key')
@Controller('v1/merchant-webhooks')
export class WebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @ApiOperation({
    summary: 'List your webhooks',
    description: 'All of them, inactive ones too: there are at most 20.',
  })
  @ApiOkResponse({ type: [WebhookDto] })
  @ApiErrors()
  listWebhooks(@CurrentCaller() caller: Caller): Promise<WebhookDto[]> {
    return this.webhooks.list(caller.merchantId);
  }

  @Post()
  @HttpCode(201)
  @ApiOperation({
    summary: 'Register a webhook',
    description:
      'Without a `secret` one is generated, and this answer, and no other, carries it. Deliveries are signed with it ' +
      'as Standard Webhooks 1.0 says.',
  })
  @ApiCreatedResponse({ type: CreatedWebhookDto })
  @ApiErrors('BAD_REQUEST', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  createWebhook(@CurrentCaller() caller: Caller, @Body() body: CreateWebhookDto): Promise<CreatedWebhookDto> {
    return this.webhooks.create(caller.merchantId, body);
  }

  @Get(':id')
  @ApiOperation({
    summary: 'See a webhook',
    description: 'Of its secret, only the beginning is shown.',
  })
  @ApiWebhookId()
  @ApiOkResponse({ type: WebhookDto })
  @ApiErrors('BAD_REQUEST', 'NOT_FOUND')
  getWebhook(@CurrentCaller() caller: Caller, @WebhookId() id: number): Promise<WebhookDto> {
    return this.webhooks.get(caller.merchantId, id);
  }

  @Patch(':id')
  @ApiOperation({
    summary: 'Change a webhook',
    description:
      'Only what is sent changes. Making it inactive ends its waiting deliveries; making it active again does not ' +
      'bring them back.',
  })
  @ApiWebhookId()
  @ApiOkResponse({ type: WebhookDto })
  @ApiErrors('BAD_REQUEST', 'NOT_FOUND', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  updateWebhook(
    @CurrentCaller() caller: Caller,
    @WebhookId() id: number,
    @Body() body: UpdateWebhookDto,
  ): Promise<WebhookDto> {
    return this.webhooks.update(caller.merchantId, id, body);
  }

  @Delete(':id')
  @ApiOperation({ summary: 'Delete a webhook', description: 'Its waiting deliveries end.' })
  @ApiWebhookId()
  @ApiOkResponse({ type: DeletedWebhookDto })
  @ApiErrors('BAD_REQUEST', 'NOT_FOUND')
  async deleteWebhook(@CurrentCaller() caller: Caller, @WebhookId() id: number): Promise<DeletedWebhookDto> {
    await this.webhooks.delete(caller.merchantId, id);
    return { success: true, message: `Webhook ${id} was deleted` };
  }
}
