import path from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express, { type Express, type RequestHandler } from 'express';
import type { Config } from '../core/config.js';
import { HttpServerAdapter } from '../core/http/http-server.js';
import { jsonBodyMiddleware } from '../core/http/json-body.middleware.js';
import { observeRequestsMiddleware } from '../core/http/observe-requests.middleware.js';
import { requestIdMiddleware } from '../core/http/request-id.middleware.js';
import { trustProxies } from '../core/http/trusted-proxies.js';
import { NestLogger, type Logger } from '../core/logger.js';
import { Metrics } from '../core/metrics.js';
import { projectRoot } from '../core/project-root.js';
import { sameOriginMiddleware } from './access/same-origin.middleware.js';
import { sessionMiddleware } from './access/session.middleware.js';
import { SessionStore } from './access/session-store.js';
import { signInLimitMiddleware } from './access/sign-in-limit.middleware.js';
import { exceptCsv } from './catalog/csv-body.js';
import { CSV_PATHS } from './catalog/imports.controller.js';
import { STATEMENT_PATHS } from './deposits/channels.controller.js';
import { ConsoleModule } from './console.module.js';
import { policyReportsMiddleware, securityHeaders } from './content-security-policy.js';
import { setUpConsoleSwagger } from './openapi.js';
import { pages } from './pages.js';

/** Paths at which an attacker could guess passwords, codes or the tokens of links. */
const SIGN_IN_PATHS = ['session', 'session/code', 'session/confirm', 'set-up', 'set-up/account', 'me/password'];
/** Paths of company sign-in. They take no password or short code, and a whole office may share one address. */
const COMPANY_PATHS = ['session/company', 'session/company/answer'];
const FILE_PATHS = new Set([...CSV_PATHS, ...STATEMENT_PATHS]);
const PER_MINUTE = { ofSecrets: 10, ofCompany: 120 };

interface ConsoleOptions {
  /** The folder of the built web application. */
  pagesFrom?: string;
}

/** Builds the console, ready to `listen`. The tests use the same function. */
export async function createConsole(
  config: Config,
  logger: Logger,
  { pagesFrom = path.join(projectRoot, 'dist', 'console') }: ConsoleOptions = {},
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    ConsoleModule.register(config, logger),
    new HttpServerAdapter(createExpress(config, logger)),
    { bodyParser: false, logger: new NestLogger(logger), abortOnError: false },
  );
  app.use(requestIdMiddleware);
  app.use(observeRequestsMiddleware(app.get(Metrics), logger));
  app.use(...securityHeaders(config));
  app.use('/csp-report', policyReportsMiddleware(logger));
  app.use('/api', keepNothing, sameOriginMiddleware(config.console.url));
  app.use(exactly(SIGN_IN_PATHS, signInLimitMiddleware(PER_MINUTE.ofSecrets)));
  app.use(exactly(COMPANY_PATHS, signInLimitMiddleware(PER_MINUTE.ofCompany)));
  app.use('/api', sessionMiddleware(app.get(SessionStore), config), exceptCsv(FILE_PATHS, jsonBodyMiddleware));
  app.use(pages(pagesFrom));
  if (config.NODE_ENV !== 'production') setUpConsoleSwagger(app);
  return app;
}

/** Keeps answers out of the caches of browsers and proxies. */
const keepNothing: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  next();
};

/** Applies a handler to these paths under /api. As in the router, a slash may follow. */
const exactly = (paths: string[], handle: RequestHandler): RequestHandler => {
  const named = new Set(paths.flatMap((each) => [`/api/${each}`, `/api/${each}/`]));
  return (request, response, next) => (named.has(request.path) ? handle(request, response, next) : next());
};

/** Express needs its settings before Nest makes the router. */
function createExpress({ console: { trustedProxies } }: Config, logger: Logger): Express {
  const app = express()
    .disable('x-powered-by')
    .disable('etag')
    .set('query parser', 'simple')
    .set('case sensitive routing', true);
  return trustProxies(app, 'CONSOLE_TRUSTED_PROXIES', trustedProxies, logger);
}
