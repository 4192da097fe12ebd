import { Controller, Get, Inject, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../auth/api-key.guard.js';
import { errorBody, type ErrorBody } from '../core/errors.js';
import { ReadinessService } from './readiness.service.js';

/** Health checks for load balancers and supervisors. They need no API key, and the HTTP status tells the result. */
@ApiExcludeController()
@Public()
@Controller()
export class HealthController {
  constructor(@Inject(ReadinessService) private readonly readiness: ReadinessService) {}

  /** The process lives. */
  @Get('healthz')
  health(): { status: string } {
    return { status: 'ok' };
  }

  /** The process can take orders: PostgreSQL has the schema and accepts writes. Redis does not matter. */
  @Get('readyz')
  async ready(@Res({ passthrough: true }) response: Response): Promise<{ status: string } | ErrorBody> {
    const why = await this.readiness.whyNot();
    if (why === null) return { status: 'ready' };
    response.status(503).setHeader('Retry-After', '1');
    return errorBody('SERVICE_UNAVAILABLE', why);
  }
}
