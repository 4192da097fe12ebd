import { All, Controller, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../auth/api-key.guard.js';
import { noSuchRoute } from '../../core/http/exception.filter.js';
import { CALLBACKS_PATH } from '../../core/http/secret-path.js';
import type { RawCallback } from '../../suppliers/supplier-adapter.js';
import { CallbackAdmissionService } from './callback-admission.service.js';
import { readCallback } from './raw-callback.js';
import { SupplierCallbacksService } from './supplier-callbacks.service.js';

/** Where suppliers call us. They have no API key: the token in the path lets them in. */
@Public()
@ApiExcludeController()
@Controller(`${CALLBACKS_PATH}/:code/:token`)
export class SupplierCallbacksController {
  constructor(
    private readonly gate: CallbackAdmissionService,
    private readonly callbacks: SupplierCallbacksService,
  ) {}

  @All()
  async receive(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { method, ip = '' } = request;
    if (!isServed(method)) throw noSuchRoute(request);
    const { code, token } = request.params as { code: string; token: string };
    const supplier = await this.gate.admit(code, token);
    const raw = await readCallback(request, response, method);
    const { status, contentType, body } = await this.callbacks.receive(supplier, raw, ip);
    response.status(status).setHeader('Content-Type', contentType).end(body);
  }
}

/** Not HEAD, which Express would take for a GET: whoever sends it wants nothing to happen. */
const isServed = (method: string): method is RawCallback['method'] => method === 'GET' || method === 'POST';
