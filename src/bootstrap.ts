import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ApiModule } from './api.module.js';
import type { Config } from './core/config.js';
import { HttpServerAdapter } from './core/http/http-server.js';
import { assignRequestId } from './core/http/request-id.js';
import { NestLogger, type Logger } from './core/logger.js';
import { setUpSwagger } from './ops/swagger.js';

/** Builds the merchant API, ready to `listen`; the tests use the very same. */
export async function createApi(config: Config, logger: Logger): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    ApiModule.register(config, logger),
    new HttpServerAdapter(),
    // The body is read after the caller is known, by our own middleware.
    { bodyParser: false, logger: new NestLogger(logger), abortOnError: false },
  );
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('case sensitive routing', true);
  app.set('trust proxy', [...config.trustedProxies]);
  app.use(assignRequestId);
  setUpSwagger(app);
  return app;
}
