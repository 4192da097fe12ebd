import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { requestIdOf } from './request-id.middleware.js';

/** The request's id, as a controller's parameter. */
export const RequestId = createParamDecorator((_: unknown, context: ExecutionContext): string =>
  requestIdOf(context.switchToHttp().getRequest<Request>()),
);
