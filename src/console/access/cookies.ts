import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { CookieOptions, Request, Response } from 'express';
import type { Config } from '../../core/config.js';
import { YEAR_MS } from '../../core/durations.js';
import type { Operator } from '../../operators/operator.entity.js';
import type { KnownDevice } from '../../operators/operators.repository.js';

/** A name with this prefix binds a cookie to https and to this very host (RFC 6265bis, section 4.1.3.2). */
const nameOf = (name: string, { console: { isHttps } }: Config): string => (isHttps ? `__Host-${name}` : name);

export const sessionCookieName = (config: Config): string => nameOf('console', config);

export const cookieOptions = ({ console: { isHttps } }: Config): CookieOptions & { sameSite: 'strict' } => ({
  path: '/',
  httpOnly: true,
  secure: isHttps,
  sameSite: 'strict',
});

const DEVICE_LASTS_MS = YEAR_MS;

/** Ties a company sign-in to the browser that began it, until the provider sends the browser back. */
export class CompanyCookie {
  private readonly name: string;

  constructor(private readonly config: Config) {
    this.name = nameOf('console-company', config);
  }

  set(response: Response, value: string, lastsSeconds: number): void {
    response.cookie(this.name, value, { ...cookieOptions(this.config), maxAge: lastsSeconds * 1000 });
  }

  read(request: Request): string | null {
    return readCookie(request, this.name) ?? null;
  }

  clear(response: Response): void {
    response.clearCookie(this.name, cookieOptions(this.config));
  }
}

/**
 * Marks a browser in which an operator has signed in, so that strangers' failed attempts can't lock out this browser.
 * The mark is valid until the account is reset, disabled or linked to a company account, or its password or second
 * factor is changed or removed. So the browser of an earlier user of the account loses its mark.
 */
export class DeviceCookie {
  private readonly name: string;
  private readonly keys: string[];

  constructor(private readonly config: Config) {
    this.name = nameOf('console-device', config);
    this.keys = derivedKeys(config, 'console device');
  }

  set(response: Response, { id, access_version: version }: Pick<Operator, 'id' | 'access_version'>): void {
    const [key = ''] = this.keys;
    const marked = `${id}.${version}`;
    const value = `${marked}.${sign(key, marked)}`;
    response.cookie(this.name, value, { ...cookieOptions(this.config), maxAge: DEVICE_LASTS_MS });
  }

  /** The operator and version in the cookie; null if the cookie is missing or its signature is wrong. */
  read(request: Request): KnownDevice | null {
    const [, marked = '', id, version, signature = ''] =
      /^(([1-9]\d{0,8})\.(\d{1,9}))\.(.+)$/.exec(readCookie(request, this.name) ?? '') ?? [];
    if (!this.keys.some((key) => isEqual(sign(key, marked), signature))) return null;
    return { operatorId: Number(id), accessVersion: Number(version) };
  }
}

const sign = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('base64url');

/** Compares in constant time. */
export const isEqual = (one: string, other: string): boolean =>
  Buffer.byteLength(one) === Buffer.byteLength(other) && timingSafeEqual(Buffer.from(one), Buffer.from(other));

function readCookie({ headers }: Request, name: string): string | undefined {
  const parts = (headers.cookie ?? '').split(';').map((part) => part.trim());
  return parts.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** Derives a key for one purpose from each SECRETS_KEY: the first key signs, and all keys verify. */
export function derivedKeys(config: Config, purpose: string): string[] {
  const keys = config.secretsKey ? [config.secretsKey, ...config.previousSecretsKeys] : [];
  return keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', purpose, 32)).toString('base64'));
}
