import type { Request, RequestHandler } from 'express';
import session from 'express-session';
import type { Config } from '../../core/config.js';
import { AppError } from '../../core/errors.js';
import { storable } from '../../core/text.js';
import type { LiveSession } from '../../operators/operator-sessions.repository.js';
import { cookieOptions, derivedKeys, sessionCookieName } from './cookies.js';
import type { Opening, SessionStore } from './session-store.js';

/** Reads the session of a request's cookie, and writes the cookie of a new session. */
export function sessionMiddleware(store: SessionStore, config: Config): RequestHandler {
  const readSession = session({
    store,
    name: sessionCookieName(config),
    secret: derivedKeys(config, 'console session'),
    cookie: { ...cookieOptions(config), maxAge: config.console.sessionMs },
    resave: false,
    saveUninitialized: false,
  });
  return (request, response, next) => {
    // If CONSOLE_URL has https, browsers use https, even if the proxy does not forward the scheme.
    if (config.console.isHttps) Object.defineProperty(request, 'secure', { value: true });
    readSession(request, response, (error?: unknown) => {
      // Not enumerable: otherwise express-session would find the session changed, and save it instead of touching it.
      if (!error && request.headers['x-unattended'] !== undefined)
        Object.defineProperty(request.session, 'isUnattended', { value: true });
      next(error);
    });
  };
}

/**
 * Replaces the session by one with a new identifier, so that a stolen identifier becomes useless.
 * @throws UNAUTHORIZED if the operator's access has changed meanwhile.
 */
export async function openSession(
  request: Request,
  store: SessionStore,
  opening: Omit<Opening, 'ip' | 'userAgent'>,
): Promise<Omit<LiveSession, 'id_hash'>> {
  await settled((done) => request.session.regenerate(done));
  const userAgent = storable(request.headers['user-agent'] ?? '', 256);
  request.session.opening = { ...opening, ip: request.ip ?? '', userAgent };
  await settled((done) => request.session.save(done));
  request.session.opening = undefined;
  const live = await store.live(request.sessionID);
  if (!live) throw new AppError('UNAUTHORIZED', 'Your access has changed meanwhile: sign in again');
  request.session.live = live;
  return live;
}

export const closeSession = (request: Request): Promise<void> => settled((done) => request.session.destroy(done));

const settled = (work: (done: (error?: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    work((error) => (error ? reject(error) : resolve()));
  });
