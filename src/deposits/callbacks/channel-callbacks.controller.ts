import { All, Controller, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../auth/api-key.guard.js';
import { noSuchRoute } from '../../core/http/exception.filter.js';
import { DEPOSIT_CALLBACKS_PATH } from '../../core/http/secret-path.js';
import { readCallback } from '../../suppliers/raw-callback.js';
import { ChannelCallbacksService } from './channel-callbacks.service.js';

/** The address of vendors' callbacks about payments. The token in the path takes the place of an API key. */
@Public()
@ApiExcludeController()
@Controller(`${DEPOSIT_CALLBACKS_PATH}/:code/:token`)
export class ChannelCallbacksController {
  constructor(private readonly callbacks: ChannelCallbacksService) {}

  @All()
  async receive(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { method, ip = '' } = request;
    if (method !== 'POST') throw noSuchRoute(request);
    const { code, token } = request.params as { code: string; token: string };
    const channel = await this.callbacks.admit(code, token);
    await this.callbacks.receive(channel, await readCallback(request, response, method), ip);
    response.status(200).json({ status: 'ok' });
  }
}
