import path from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express, { type Express } from 'express';
import { ApiModule } from './api.module.js';
import { ApiKeyVerifier } from './auth/api-key-verifier.js';
import { apiKeyMiddleware } from './auth/api-key.middleware.js';
import { rateLimitMiddleware } from './auth/rate-limit.middleware.js';
import { SharedBucketsService } from './auth/shared-buckets.service.js';
import type { Config } from './core/config.js';
import { HttpServerAdapter } from './core/http/http-server.js';
import { jsonBodyMiddleware } from './core/http/json-body.middleware.js';
import { observeRequestsMiddleware } from './core/http/observe-requests.middleware.js';
import { requestIdMiddleware } from './core/http/request-id.middleware.js';
import { trustProxies } from './core/http/trusted-proxies.js';
import { NestLogger, type Logger } from './core/logger.js';
import { Metrics } from './core/metrics.js';
import { projectRoot } from './core/project-root.js';
import { CHECKS_PER_SECOND } from './orders/players/players.service.js';
import { openSite } from './api-docs/site.js';
import { setUpSwagger } from './api-docs/swagger.js';

interface ApiOptions {
  /** The folder of the built documentation for merchants. */
  siteFrom?: string;
}

/** Builds the merchant API, ready to `listen`. The tests use it too. */
export async function createApi(
  config: Config,
  logger: Logger,
  { siteFrom = path.join(projectRoot, 'dist', 'site') }: ApiOptions = {},
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    ApiModule.register(config, logger, openSite(siteFrom)),
    new HttpServerAdapter(createExpress(config, logger)),
    // Our own middleware reads bodies, once it knows the caller.
    { bodyParser: false, logger: new NestLogger(logger), abortOnError: false },
  );
  app.use(requestIdMiddleware);
  app.use(observeRequestsMiddleware(app.get(Metrics), logger));
  const buckets = app.get(SharedBucketsService);
  // Identifies the caller first. So without a valid key, an answer reveals nothing about paths, bodies or ids.
  app.use('/v1', apiKeyMiddleware(app.get(ApiKeyVerifier)), rateLimitMiddleware(buckets, config.RATE_LIMIT_PER_SECOND));
  app.use('/v1/players/check', rateLimitMiddleware(buckets, CHECKS_PER_SECOND, 'player checks'));
  app.use('/v1', jsonBodyMiddleware);
  setUpSwagger(app);
  return app;
}

/** Applies settings before Nest makes Express create its router, because the router copies them. */
function createExpress({ trustedProxies }: Config, logger: Logger): Express {
  const app = express()
    .disable('x-powered-by')
    .disable('etag')
    .set('query parser', 'simple')
    .set('case sensitive routing', true);
  return trustProxies(app, 'TRUSTED_PROXIES', trustedProxies, logger);
}
