import { createHash, timingSafeEqual } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';
import ipaddr from 'ipaddr.js';
import type { Config } from '../../core/config.js';

type Settings = Pick<Config, 'NODE_ENV' | 'MANAGEMENT_HOST' | 'MANAGEMENT_USER' | 'MANAGEMENT_PASSWORD'>;

const NO_PASSWORD =
  'This page is closed, because no password is set. Set MANAGEMENT_PASSWORD in the environment of this process and ' +
  'restart it; then log in as MANAGEMENT_USER (operator, unless it says otherwise).\n';

/**
 * Lets operators in by HTTP Basic authentication (RFC 7617). Without a password nobody gets in, except where only this
 * machine can ask and nothing is in production: on loopback, as `npm start` runs it.
 */
export function operatorsOnly(settings: Settings): (request: Request, response: Response, next: NextFunction) => void {
  const { MANAGEMENT_USER: user, MANAGEMENT_PASSWORD: password } = settings;
  if (password === '') {
    if (settings.NODE_ENV !== 'production' && isLoopback(settings.MANAGEMENT_HOST))
      return (_request, _response, next) => next();
    return (_request, response) => void response.status(403).type('text').send(NO_PASSWORD);
  }
  const expected = digest(`${user}:${password}`);
  return (request, response, next) => {
    // Digests have one length, whatever was sent, so the comparison takes the same time for each.
    if (timingSafeEqual(digest(credentialsOf(request)), expected)) return next();
    response.setHeader('WWW-Authenticate', 'Basic realm="operators", charset="UTF-8"');
    response.status(401).type('text').send('Log in with MANAGEMENT_USER and MANAGEMENT_PASSWORD.\n');
  };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The user and the password as they were sent, joined by a colon; empty when there are none. */
function credentialsOf({ headers }: Request): string {
  const [, encoded = ''] = /^basic +([A-Za-z0-9+/=]+) *$/i.exec(headers.authorization ?? '') ?? [];
  return Buffer.from(encoded, 'base64').toString('utf8');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');
}
