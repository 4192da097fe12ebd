import type { NextFunction, Request, Response } from 'express';
import { newRequestId } from '../identifiers.js';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';

const SANE = /^[A-Za-z0-9._:@/+=-]{1,128}$/;
const REQUEST_ID = Symbol('request id');

/**
 * Gives every request an id, and every answer the header `X-Request-Id`. If the caller sent a valid id, the request gets
 * that id.
 */
export function requestIdMiddleware(request: Request, response: Response, next: NextFunction): void {
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && SANE.test(given) ? given : newRequestId();
  (request as { [REQUEST_ID]?: string })[REQUEST_ID] = id;
  response.setHeader('X-Request-Id', id);
  next();
}

export const requestIdOf = (request: Request): string => (request as { [REQUEST_ID]?: string })[REQUEST_ID] ?? '';

/** The request's id, as a controller's parameter. */
export const RequestId = createParamDecorator((_: unknown, context: ExecutionContext): string =>
  requestIdOf(context.switchToHttp().getRequest<Request>()),
);
