import { All, Controller, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../auth/api-key.guard.js';
import { noSuchRoute } from '../../core/http/exception.filter.js';
import { CALLBACKS_PATH } from '../../core/http/secret-path.js';
import type { RawCallback } from '../../suppliers/supplier-adapter.js';
import { CallbackAdmissionService } from './callback-admission.service.js';
import { SupplierCallbacksService } from './supplier-callbacks.service.js';
import { readCallback } from '../../suppliers/raw-callback.js';

/** The address of suppliers' callbacks. The token in the path takes the place of an API key. */
@Public()
@ApiExcludeController()
@Controller(`${CALLBACKS_PATH}/:code/:token`)
export class SupplierCallbacksController {
  constructor(
    private readonly admission: CallbackAdmissionService,
    private readonly callbacks: SupplierCallbacksService,
  ) {}

  @All()
  async receive(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { method, ip = '' } = request;
    if (!isServed(method)) throw noSuchRoute(request);
    const { code, token } = request.params as { code: string; token: string };
    const supplier = await this.admission.admit(code, token);
    const raw = await readCallback(request, response, method);
    const { status, contentType, body } = await this.callbacks.receive(supplier, raw, ip);
    response.status(status).setHeader('Content-Type', contentType).end(body);
  }
}

/** Not HEAD, which must change nothing: Express would route it as GET. */
const isServed = (method: string): method is RawCallback['method'] => method === 'GET' || method === 'POST';
