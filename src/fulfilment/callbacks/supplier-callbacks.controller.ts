import { All, Controller, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../auth/api-key.guard.js';
import { noSuchRoute } from '../../core/http/exception.filter.js';
import { CALLBACKS_PATH } from '../../core/http/secret-path.js';
import type { RawCallback } from '../../suppliers/supplier-adapter.js';
import { CallbackAdmissionService } from './callback-admission.service.js';
import { SupplierCallbacksService } from './supplier-callbacks.service.js';
import { readRawBody } from '../../core/http/raw-body.js';

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

/** The limit of the contract, section 8. A usual callback has a few hundred bytes. */
const MAX_BODY_BYTES = 64 * 1024;

/** @throws PAYLOAD_TOO_LARGE; BAD_REQUEST if the body breaks off. */
async function readCallback(request: Request, response: Response, method: RawCallback['method']): Promise<RawCallback> {
  // The body of a GET is ignored, as on all routes.
  const body = method === 'GET' ? Buffer.alloc(0) : await readRawBody(request, response, MAX_BODY_BYTES);
  const receivedAt = new Date();
  return { method, headers: joined(request.headersDistinct), query: joined(request.query), body, receivedAt };
}

/** Joins the values of each name with commas. */
function joined(values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : String(value)]),
  );
}
