import type { RequestHandler } from 'express';
import type { ApiKeyVerifier } from './api-key-verifier.js';
import { setCaller } from './caller.js';

/**
 * Recognizes the caller before the service reads anything else of the request. So, without a valid key, an answer does not
 * reveal whether a body or an id was valid.
 */
export function apiKeyMiddleware(verifier: ApiKeyVerifier): RequestHandler {
  return (request, _response, next) => {
    const header = request.headers['x-api-key'];
    verifier.verify(typeof header === 'string' ? header : undefined, request.ip).then((caller) => {
      setCaller(request, caller);
      next();
    }, next);
  };
}
